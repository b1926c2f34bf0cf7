import { type Insertable, sql, type Transaction } from 'kysely'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Seal } from '../sealing/seal.ts'
import type { Storage } from '../storage.ts'
import { createStatement } from './statement.ts'
import type { Tables, EventSource } from '../tables.ts'
import { sealContext } from '../sealing/seal-context.ts'
import { traceIdOf } from '@pawl/base/tracing/trace-id'
import { strayNumberOf } from '../resource-number.ts'
import type { Core } from '../core.ts'
import { createRejections } from './rejections.ts'

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

/** An event to insert, and its id once it has one. */
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
  /** As in `events.resource`; of a resource not known yet, replaced when its row is made. */
  resource: number
}

interface Classified extends Fingerprinted {
  ref: EventRef
  duplicate: boolean
}

/** Key of a type, or an `event_id`, within one resource. */
const within = (resource: number, name: string) => `${resource}\n${name}`

/** Stores a group of deliveries in order of arrival, in a fixed number of statements (rules 1 and 2). Their resources must be locked. */
export async function acceptAll(
  trx: Transaction<Tables>,
  deliveries: readonly Delivery[],
  deps: { seal: Seal; now: number; fingerprint: (body: Uint8Array) => Buffer } & Pick<
    Storage,
    'findKnown' | 'takeNumbers'
  >,
): Promise<Accepted[]> {
  if (deliveries.length === 0) return []
  const resourceIds = [...new Set(deliveries.flatMap(({ resourceId }) => resourceId ?? []))]
  const { numbers, eventIds } = await deps.takeNumbers(trx, resourceIds, deliveries.length)
  const fingerprinted = deliveries.map((delivery) => ({
    delivery,
    fingerprint: deps.fingerprint(delivery.body),
    resource: placeOf(delivery, numbers),
  }))
  const recent = await readRecent(trx, fingerprinted, deps.findKnown)
  const classified = fingerprinted.map((each) => classify(each, recent, deps.now))
  const fresh = classified.filter(({ duplicate }) => !duplicate)
  if (fresh.length > 0) {
    for (const [index, { ref }] of fresh.entries()) ref.eventId = eventIds[index] ?? 0
    numberNew(fresh)
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
  const sought = deliveries.filter(mayBeCopy).map(({ delivery: { eventType, eventKey }, fingerprint, resource }) => ({
    resource,
    eventType,
    eventKey,
    fingerprint,
  }))
  if (sought.length === 0) return { newest: new Map(), byEventKey: new Map() }
  const { newest, keyed } = await findKnown(trx, sought)
  return {
    newest: new Map(
      newest.map((row) => [within(row.resource, row.event_type), { fingerprint: row.fingerprint, ref: toRef(row) }]),
    ),
    byEventKey: new Map(keyed.map((row) => [within(row.resource, row.event_key ?? ''), toRef(row)])),
  }
}

function toRef(row: { id: number; received_at: number; traceparent: string | null }): EventRef {
  return { eventId: row.id, receivedAt: row.received_at, traceparent: row.traceparent }
}

/** Events that pawl stores itself are not copies, and hide no webhook from its copies. */
const isWebhook = ({ delivery }: Pick<Fingerprinted, 'delivery'>) => delivery.source === 'webhook'

/** Decides, in order of arrival, whether a delivery is a copy, and adds it to `recent` for later ones in the group. */
function classify(each: Fingerprinted, recent: Recent, now: number): Classified {
  const { delivery, fingerprint, resource } = each
  const { eventType, eventKey } = delivery
  const fresh: EventRef = { eventId: 0, receivedAt: now, traceparent: delivery.traceparent ?? null }
  if (!isWebhook(each)) return { ...each, ref: fresh, duplicate: false }
  const typeKey = within(resource, eventType)
  const newest = recent.newest.get(typeKey)
  const sameKey = eventKey === undefined ? undefined : recent.byEventKey.get(within(resource, eventKey))
  const original = sameKey ?? (newest !== undefined && fingerprint.equals(newest.fingerprint) ? newest.ref : undefined)
  if (original !== undefined) return { ...each, ref: original, duplicate: true }
  recent.newest.set(typeKey, { fingerprint, ref: fresh })
  if (eventKey !== undefined) recent.byEventKey.set(within(resource, eventKey), fresh)
  return { ...each, ref: fresh, duplicate: false }
}

/** An unknown resource has no earlier events to copy, but its `event_id` may have arrived with a type that no handler supports. */
const mayBeCopy = (each: Fingerprinted) =>
  isWebhook(each) && (each.resource > 0 || each.delivery.kind === undefined || each.delivery.eventKey !== undefined)

/** An event that no handler can follow goes under its resource's stray number, whether or not the resource is known. */
function placeOf({ resourceId = '', kind }: Delivery, numbers: ReadonlyMap<string, number>): number {
  return (kind === undefined ? undefined : numbers.get(resourceId)) ?? strayNumberOf(resourceId)
}

/** Numbers new resources by their first event. */
function numberNew(fresh: readonly Classified[]): void {
  const numbers = new Map<string, number>()
  for (const each of fresh) {
    const { resourceId, kind } = each.delivery
    if (resourceId === undefined || kind === undefined || each.resource > 0) continue
    each.resource = numbers.get(resourceId) ?? each.ref.eventId
    numbers.set(resourceId, each.resource)
  }
}

const insertRows = createStatement((db, rows: readonly Insertable<Tables['events']>[]) =>
  db.insertInto('events').values(rows),
)

async function insertEvents(trx: Transaction<Tables>, fresh: readonly Classified[], deps: { seal: Seal; now: number }) {
  await insertRows(
    trx,
    fresh.map(({ delivery, fingerprint, resource, ref }) => ({
      id: ref.eventId,
      resource,
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
}

const upsertDue = createStatement((db, rows: readonly Insertable<Tables['resources']>[]) =>
  db
    .insertInto('resources')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('number').doUpdateSet((eb) => ({
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
  const newestOf = new Map<number, { id: string; kind: ResourceKind; newest: number }>()
  for (const { delivery, ref, resource } of fresh) {
    const { resourceId: id, kind } = delivery
    if (id !== undefined && kind !== undefined) newestOf.set(resource, { id, kind, newest: ref.eventId })
  }
  if (newestOf.size === 0) return
  await upsertDue(
    trx,
    [...newestOf].map(([number, { id, kind, newest }]) => ({
      number,
      id,
      kind,
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

/** A copy after pawl's own event of the same type may be a genuine return whose webhook in between was lost: a poll decides. */
async function pollReturns(trx: Transaction<Tables>, classified: readonly Classified[], now: number) {
  const copies = new Map<string, Classified>()
  for (const each of classified) {
    const { kind, eventType } = each.delivery
    if (each.duplicate && kind !== 'provider_outreach' && each.resource > 0)
      copies.set(within(each.resource, eventType), each)
  }
  for (const { delivery, ref, resource } of copies.values()) {
    await trx
      .updateTable('resources')
      .set({ next_poll_at: now })
      .where('number', '=', resource)
      // A terminal status never goes back (rule 7).
      .where('terminal', '=', 0)
      .where('newest_event_id', '>', ref.eventId)
      .where(
        sql<boolean>`exists (select 1 from events where resource = ${resource}
          and event_type = ${delivery.eventType} and id > ${ref.eventId} and source <> 'webhook')`,
      )
      .execute()
  }
}

/** Stores deliveries and records refusals. */
export interface Intake {
  /** Stores one delivery, or counts it as a duplicate (rule 2); atomic across processes. */
  accept(delivery: Delivery): Promise<Accepted>
  /** Records a refused delivery soon, bounded in number, without waiting: refusals must cost an attacker more than us. */
  reject(rejection: { reason: string; bytes: number }): void
}

/** `flush` stores buffered refusals, and stops. */
export function createIntake(core: Core): Intake & { flush(): Promise<void> } {
  const { commits, gather, storage, seal, digestKey } = core
  const rejections = createRejections(commits)
  const acceptNow = gather<Delivery, Accepted>({
    touches: ({ resourceId = '' }) => [resourceId],
    async run(trx, deliveries, now) {
      const fingerprint = digestKey.fingerprint()
      if (fingerprint === undefined) throw new TypeError('The key of digests was not read.')
      const accepted = await acceptAll(trx, deliveries, { ...storage, seal, now, fingerprint })
      return accepted.map((result) => ({ result }))
    },
  })

  /** The deliveries that wait for the key of digests. */
  let first: Promise<unknown> = Promise.resolve()

  return {
    accept(delivery) {
      // No await once the key is known: calls made before the ledger closes are stored.
      if (digestKey.fingerprint() !== undefined) return acceptNow(delivery)
      const accepted = digestKey.readFingerprint().then(() => acceptNow(delivery))
      first = Promise.allSettled([first, accepted])
      return accepted
    },
    reject: (rejection) => rejections.note(rejection),
    async flush() {
      await Promise.allSettled([first, rejections.close()])
    },
  }
}
