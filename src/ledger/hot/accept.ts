import { type Insertable, sql, type Transaction } from 'kysely'
import type { ResourceKind } from '../../service/schemas/kinds.ts'
import type { Seal } from '../sealing/seal.ts'
import type { Storage } from '../storage.ts'
import { createStatement } from './statement.ts'
import type { Tables, EventSource } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { traceIdOf } from '../../base/tracing/trace-id.ts'

/** An event handed to the ledger by the receiver, a poll or a command. */
export interface Delivery {
  /** `undefined` if the envelope had no usable `data.id`. */
  resourceId: string | undefined
  /** `undefined` if no handler can follow it. */
  kind: ResourceKind | undefined
  eventType: string
  /** The envelope's own `event_id`, if any. */
  eventKey: string | undefined
  /** The raw body. */
  body: Uint8Array
  source: EventSource
  /** Span in which it is received (W3C Trace Context); absent where tracing is off. */
  traceparent?: string | undefined
}

export interface Accepted {
  /** Set for a duplicate: the event that it repeats. */
  eventId: number
  duplicate: boolean
  /** Correlation id for log lines and spans about the event. */
  traceId: string
  /** Span in which the event was received; absent where tracing was off. */
  traceparent?: string | undefined
}

/** An event to insert, and its id once inserted. */
interface EventRef {
  eventId: number
  receivedAt: number
  traceparent: string | null
}

/** Facts that identify a copy: the newest webhook of its type for its resource, and the `event_id`s seen for that resource. */
interface Recent {
  newest: Map<string, { fingerprint: Uint8Array; ref: EventRef }>
  byEventKey: Map<string, EventRef>
}

interface Fingerprinted {
  delivery: Delivery
  fingerprint: Buffer
}

interface Classified extends Fingerprinted {
  ref: EventRef
  duplicate: boolean
}

/** Key of a type, or an `event_id`, within one resource. */
const within = (resourceId: string | undefined, name: string) => `${resourceId ?? ''}\n${name}`

/** Stores a group of deliveries in order of arrival, in a fixed number of statements (rules 1 and 2). Their resources must be locked. */
export async function acceptAll(
  trx: Transaction<Tables>,
  deliveries: readonly Delivery[],
  deps: { seal: Seal; now: number; findKnown: Storage['findKnown']; fingerprint: (body: Uint8Array) => Buffer },
): Promise<Accepted[]> {
  if (deliveries.length === 0) return []
  const fingerprinted = deliveries.map((delivery) => ({
    delivery,
    fingerprint: deps.fingerprint(delivery.body),
  }))
  const recent = await readRecent(trx, fingerprinted, deps.findKnown)
  const classified = fingerprinted.map((each) => classify(each, recent, deps.now))
  const fresh = classified.filter(({ duplicate }) => !duplicate)
  if (fresh.length > 0) {
    await insertEvents(trx, fresh, deps)
    await markDue(trx, fresh, deps.now)
  }
  await countRepeats(trx, classified)
  await pollReturns(trx, classified, deps.now)
  return classified.map(({ ref, duplicate }) => {
    const { eventId: id, ...received } = ref
    const { traceparent } = received
    return {
      eventId: id,
      duplicate,
      traceId: traceIdOf({ id, ...received }),
      ...(traceparent !== null && { traceparent }),
    }
  })
}

async function readRecent(
  trx: Transaction<Tables>,
  deliveries: readonly Fingerprinted[],
  findKnown: Storage['findKnown'],
): Promise<Recent> {
  const sought = deliveries.filter(isWebhook).map(({ delivery, fingerprint }) => {
    const { resourceId = '', eventType, eventKey } = delivery
    return { resourceId, eventType, eventKey, fingerprint }
  })
  if (sought.length === 0) return { newest: new Map(), byEventKey: new Map() }
  const { newest, keyed } = await findKnown(trx, sought)
  return {
    newest: new Map(
      newest.map((row) => [within(row.resource_id, row.event_type), { fingerprint: row.fingerprint, ref: toRef(row) }]),
    ),
    byEventKey: new Map(keyed.map((row) => [within(row.resource_id, row.event_key ?? ''), toRef(row)])),
  }
}

function toRef(row: { id: number; received_at: number; traceparent: string | null }): EventRef {
  return { eventId: row.id, receivedAt: row.received_at, traceparent: row.traceparent }
}

/** Events that pawl stores itself are not copies, and hide no webhook from its copies. */
const isWebhook = ({ delivery }: Fingerprinted) => delivery.source === 'webhook'

/** Decides, in order of arrival, whether a delivery is a copy, and adds it to `recent` for later ones in the group. */
function classify({ delivery, fingerprint }: Fingerprinted, recent: Recent, now: number): Classified {
  const { resourceId, eventType, eventKey } = delivery
  const fresh: EventRef = { eventId: 0, receivedAt: now, traceparent: delivery.traceparent ?? null }
  if (!isWebhook({ delivery, fingerprint })) return { delivery, fingerprint, ref: fresh, duplicate: false }
  const typeKey = within(resourceId, eventType)
  const newest = recent.newest.get(typeKey)
  const sameKey = eventKey === undefined ? undefined : recent.byEventKey.get(within(resourceId, eventKey))
  const original = sameKey ?? (newest !== undefined && fingerprint.equals(newest.fingerprint) ? newest.ref : undefined)
  if (original !== undefined) return { delivery, fingerprint, ref: original, duplicate: true }
  recent.newest.set(typeKey, { fingerprint, ref: fresh })
  if (eventKey !== undefined) recent.byEventKey.set(within(resourceId, eventKey), fresh)
  return { delivery, fingerprint, ref: fresh, duplicate: false }
}

const insertRows = createStatement((db, rows: readonly Insertable<Tables['events']>[]) =>
  db.insertInto('events').values(rows).returning('id'),
)

async function insertEvents(trx: Transaction<Tables>, fresh: readonly Classified[], deps: { seal: Seal; now: number }) {
  const { rows } = await insertRows(
    trx,
    fresh.map(({ delivery, fingerprint, ref }) => ({
      resource_id: delivery.resourceId ?? '',
      kind: delivery.kind ?? null,
      event_type: delivery.eventType,
      fingerprint,
      event_key: delivery.eventKey ?? null,
      body: deps.seal.seal(delivery.body, sealContext.body(delivery.resourceId ?? '', fingerprint)),
      received_at: deps.now,
      source: delivery.source,
      traceparent: ref.traceparent,
    })),
  )
  // Ids grow in insertion order; the order of returned rows is not guaranteed.
  const ids = rows.map(({ id }) => id).toSorted((a, b) => a - b)
  for (const [index, { ref }] of fresh.entries()) ref.eventId = ids[index] ?? 0
}

const upsertDue = createStatement((db, rows: readonly Insertable<Tables['resources']>[]) =>
  db
    .insertInto('resources')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        newest_event_id: eb.ref('excluded.newest_event_id'),
        due_at: eb
          .case()
          .when('resources.rest_until', '>', eb.ref('excluded.due_at'))
          .then(eb.ref('resources.rest_until'))
          // A resource already due keeps its due time.
          .when('resources.due_at', '<', eb.ref('excluded.due_at'))
          .then(eb.ref('resources.due_at'))
          .else(eb.ref('excluded.due_at'))
          .end(),
      })),
    ),
)

async function markDue(trx: Transaction<Tables>, fresh: readonly Classified[], now: number) {
  const eventsOf = new Map<string, { kind: ResourceKind; first: number; newest: number }>()
  for (const { delivery, ref } of fresh) {
    if (delivery.resourceId === undefined || delivery.kind === undefined) continue
    const first = eventsOf.get(delivery.resourceId)?.first ?? ref.eventId
    eventsOf.set(delivery.resourceId, { kind: delivery.kind, first, newest: ref.eventId })
  }
  if (eventsOf.size === 0) return
  await upsertDue(
    trx,
    [...eventsOf].map(([id, { kind, first, newest }]) => ({
      id,
      kind,
      first_event_id: first,
      newest_event_id: newest,
      first_event_at: now,
      terminal: 0,
      due_at: now,
      // Polled from the start (rule 9): the first event may be of a type that no handler follows.
      next_poll_at: kind === 'provider_outreach' ? null : now,
    })),
  )
}

async function countRepeats(trx: Transaction<Tables>, classified: readonly Classified[]) {
  const repeatsOf = new Map<number, number>()
  for (const { ref, duplicate } of classified) {
    if (duplicate) repeatsOf.set(ref.eventId, (repeatsOf.get(ref.eventId) ?? 0) + 1)
  }
  for (const [eventId, count] of repeatsOf) {
    await trx
      .updateTable('events')
      .set((eb) => ({ repeats: eb('repeats', '+', count) }))
      .where('id', '=', eventId)
      .execute()
  }
}

/** A copy after pawl's own event of the same type may be a genuine return whose webhook in between was lost: a poll tells. */
async function pollReturns(trx: Transaction<Tables>, classified: readonly Classified[], now: number) {
  const copies = new Map<string, Classified>()
  for (const each of classified) {
    const { resourceId, kind, eventType } = each.delivery
    if (each.duplicate && kind !== 'provider_outreach' && resourceId !== undefined)
      copies.set(within(resourceId, eventType), each)
  }
  for (const { delivery, ref } of copies.values()) {
    await trx
      .updateTable('resources')
      .set({ next_poll_at: now })
      .where('id', '=', delivery.resourceId ?? '')
      // A terminal status never goes back (rule 7).
      .where('terminal', '=', 0)
      .where('newest_event_id', '>', ref.eventId)
      .where(
        sql<boolean>`exists (select 1 from events where resource_id = ${delivery.resourceId ?? ''}
          and event_type = ${delivery.eventType} and id > ${ref.eventId} and source <> 'webhook')`,
      )
      .execute()
  }
}
