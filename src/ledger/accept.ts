import { createHash } from 'node:crypto'
import { type Insertable, sql, type Transaction } from 'kysely'
import type { ResourceKind } from '../resources/kinds.ts'
import type { Accepted, Delivery } from './ledger.ts'
import type { Seal } from './seal.ts'
import { createStatement } from './statement.ts'
import type { Tables } from './tables.ts'
import { placeOf } from './place.ts'
import { traceIdOf } from '../tracing/trace-id.ts'

/** An event whose id is known once it is inserted. */
interface EventRef {
  eventId: number
  receivedAt: number
  traceparent: string | null
}

/** What a copy is recognised by: the newest event of its type for its resource, and the `event_id`s that its resource had before. */
interface Recent {
  newest: Map<string, { fingerprint: Uint8Array; ref: EventRef }>
  byEventKey: Map<string, EventRef>
}

interface Placed {
  delivery: Delivery
  fingerprint: Uint8Array
  ref: EventRef
  duplicate: boolean
}

/** Names a type, or an `event_id`, within one resource. */
const within = (resourceId: string | undefined, name: string) => `${resourceId ?? ''}\n${name}`

/** Stores a group of deliveries in the order in which they came, in a handful of statements however many they are (rules 1 and 2). Their resources must be locked. */
export async function acceptAll(
  trx: Transaction<Tables>,
  deliveries: readonly Delivery[],
  deps: { seal: Seal; now: number },
): Promise<Accepted[]> {
  if (deliveries.length === 0) return []
  const recent = await readRecent(trx, deliveries)
  const placed = deliveries.map((delivery) => place(delivery, recent, deps.now))
  const fresh = placed.filter(({ duplicate }) => !duplicate)
  if (fresh.length > 0) {
    await insertEvents(trx, fresh, deps)
    await markDue(trx, fresh, deps.now)
  }
  await countRepeats(trx, placed)
  return placed.map(({ ref, duplicate }) => {
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

/** The newest event of each pair of resource and type. */
const selectNewest = createStatement((db, pairs: readonly { resourceId: string; eventType: string }[]) =>
  db
    .selectFrom('events')
    .select(['id', 'resource_id', 'event_type', 'fingerprint', 'received_at', 'traceparent'])
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('events')
        .select((max) => max.fn.max('id').as('id'))
        .where(
          sql<boolean>`(resource_id, event_type) in (values ${sql.join(pairs.map((d) => sql`(${d.resourceId}, ${d.eventType})`))})`,
        )
        .groupBy(['resource_id', 'event_type']),
    ),
)

async function readRecent(trx: Transaction<Tables>, deliveries: readonly Delivery[]): Promise<Recent> {
  const pairs = new Map(
    deliveries.map(({ resourceId = '', eventType }) => [within(resourceId, eventType), { resourceId, eventType }]),
  )
  const { rows: newest } = await selectNewest(trx, [...pairs.values()])
  const eventKeys = deliveries.flatMap(({ eventKey }) => eventKey ?? [])
  const seen =
    eventKeys.length === 0
      ? []
      : await trx
          .selectFrom('events')
          .select(['id', 'resource_id', 'event_key', 'received_at', 'traceparent'])
          .where('event_key', 'in', eventKeys)
          .execute()
  return {
    newest: new Map(
      newest.map((row) => [within(row.resource_id, row.event_type), { fingerprint: row.fingerprint, ref: toRef(row) }]),
    ),
    byEventKey: new Map(seen.map((row) => [within(row.resource_id, row.event_key ?? ''), toRef(row)])),
  }
}

function toRef(row: { id: number; received_at: number; traceparent: string | null }): EventRef {
  return { eventId: row.id, receivedAt: row.received_at, traceparent: row.traceparent }
}

/** Decides, in order of arrival, whether a delivery is a copy; `recent` then knows it for those behind it in the group. */
function place(delivery: Delivery, recent: Recent, now: number): Placed {
  const fingerprint = createHash('sha256').update(delivery.body).digest()
  const { resourceId, eventType, eventKey } = delivery
  const typeKey = within(resourceId, eventType)
  const newest = recent.newest.get(typeKey)
  const sameKey = eventKey === undefined ? undefined : recent.byEventKey.get(within(resourceId, eventKey))
  const original = sameKey ?? (newest !== undefined && fingerprint.equals(newest.fingerprint) ? newest.ref : undefined)
  if (original !== undefined) return { delivery, fingerprint, ref: original, duplicate: true }
  const ref: EventRef = { eventId: 0, receivedAt: now, traceparent: delivery.traceparent ?? null }
  recent.newest.set(typeKey, { fingerprint, ref })
  if (eventKey !== undefined) recent.byEventKey.set(within(resourceId, eventKey), ref)
  return { delivery, fingerprint, ref, duplicate: false }
}

const insertRows = createStatement((db, rows: readonly Insertable<Tables['events']>[]) =>
  db.insertInto('events').values(rows).returning('id'),
)

async function insertEvents(trx: Transaction<Tables>, fresh: readonly Placed[], deps: { seal: Seal; now: number }) {
  const { rows } = await insertRows(
    trx,
    fresh.map(({ delivery, fingerprint, ref }) => ({
      resource_id: delivery.resourceId ?? '',
      kind: delivery.kind ?? null,
      event_type: delivery.eventType,
      fingerprint,
      event_key: delivery.eventKey ?? null,
      body: deps.seal.seal(delivery.body, placeOf.body(delivery.resourceId ?? '', fingerprint)),
      received_at: deps.now,
      source: delivery.source,
      traceparent: ref.traceparent,
    })),
  )
  // Ids grow in the order of insertion, while the order of returned rows is not promised.
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
          .else(eb.ref('excluded.due_at'))
          .end(),
      })),
    ),
)

async function markDue(trx: Transaction<Tables>, fresh: readonly Placed[], now: number) {
  const newestOf = new Map<string, { kind: ResourceKind; eventId: number }>()
  for (const { delivery, ref } of fresh) {
    if (delivery.resourceId === undefined || delivery.kind === undefined) continue
    newestOf.set(delivery.resourceId, { kind: delivery.kind, eventId: ref.eventId })
  }
  if (newestOf.size === 0) return
  await upsertDue(
    trx,
    [...newestOf].map(([id, { kind, eventId }]) => ({
      id,
      kind,
      newest_event_id: eventId,
      first_event_at: now,
      terminal: 0,
      due_at: now,
      // Polled from the start (rule 9): the first event may be of a type that no handler follows.
      next_poll_at: kind === 'provider_outreach' ? null : now,
    })),
  )
}

async function countRepeats(trx: Transaction<Tables>, placed: readonly Placed[]) {
  const repeatsOf = new Map<number, number>()
  for (const { ref, duplicate } of placed) {
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
