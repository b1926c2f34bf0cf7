import { type Kysely, sql } from 'kysely'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** A delivery that may be a copy of a stored event. */
export interface PossibleCopy {
  /** As in `events.resource`. */
  resource: number
  eventType: string
  eventKey: string | undefined
  fingerprint: Uint8Array
}

/** What is needed to recognise a copy and to answer it. */
export interface KnownEvent {
  id: number
  resource: number
  event_type: string
  event_key: string | null
  fingerprint: Uint8Array
  received_at: number
  traceparent: string | null
}

/** Events that deliveries may be copies of (rule 2). */
export interface KnownEvents {
  /** The newest webhook per resource and type; may omit one that no delivery copies. */
  newest: readonly KnownEvent[]
  /** Events with a delivery's `event_id`, of any resource. */
  keyed: readonly KnownEvent[]
}

/** The columns of a `KnownEvent`. */
export const knownColumns = [
  'id',
  'resource',
  'event_type',
  'event_key',
  'fingerprint',
  'received_at',
  'traceparent',
] as const

/** Distinct pairs of resource and type among the deliveries. */
function pairsOf(sought: readonly PossibleCopy[]): Pick<PossibleCopy, 'resource' | 'eventType'>[] {
  return [
    ...new Map(
      sought.map(({ resource, eventType }) => [`${resource}\n${eventType}`, { resource, eventType }]),
    ).values(),
  ]
}

/** The newest webhook per pair of resource and type, walking back over events that pawl itself stored. */
const selectNewest = createStatement((db, pairs: readonly Pick<PossibleCopy, 'resource' | 'eventType'>[]) =>
  db
    .selectFrom('events')
    .select(knownColumns)
    .where(
      sql<boolean>`id in (select (
        select newest.id from events as newest
        where newest.resource = given.column1 and newest.event_type = given.column2 and newest.source = 'webhook'
        order by newest.id desc limit 1)
      from (values ${sql.join(pairs.map((d) => sql`(${d.resource}, ${d.eventType})`))}) as given)`,
    ),
)

/** Looks in `events` directly; the cost would grow with the table's partitions. */
export async function findKnown(db: Db, sought: readonly PossibleCopy[]): Promise<KnownEvents> {
  const { rows: newest } = await selectNewest(db, pairsOf(sought))
  const eventKeys = sought.flatMap(({ eventKey }) => eventKey ?? [])
  if (eventKeys.length === 0) return { newest, keyed: [] }
  const keyed = await db.selectFrom('events').select(knownColumns).where('event_key', 'in', eventKeys).execute()
  return { newest, keyed }
}
