import { type Kysely, sql } from 'kysely'
import { createStatement } from './statement.ts'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** A delivery whose original may be stored already. */
export interface Sought {
  /** Empty where it is about no resource. */
  resourceId: string
  eventType: string
  eventKey: string | undefined
  fingerprint: Uint8Array
}

/** What a copy is recognised by, and what is answered to it. */
export interface KnownEvent {
  id: number
  resource_id: string
  event_type: string
  event_key: string | null
  fingerprint: Uint8Array
  received_at: number
  traceparent: string | null
}

/** Events of which deliveries may be copies (rule 2). */
export interface KnownEvents {
  /** The newest webhook of a resource and type; one that no delivery is a copy of may be missing. */
  newest: readonly KnownEvent[]
  /** Those with the `event_id` of a delivery, whatever their resource. */
  keyed: readonly KnownEvent[]
}

/** The columns of a `KnownEvent`. */
export const knownColumns = [
  'id',
  'resource_id',
  'event_type',
  'event_key',
  'fingerprint',
  'received_at',
  'traceparent',
] as const

/** Each pair of resource and type among the deliveries, once. */
function pairsOf(sought: readonly Sought[]): Pick<Sought, 'resourceId' | 'eventType'>[] {
  return [
    ...new Map(
      sought.map(({ resourceId, eventType }) => [`${resourceId}\n${eventType}`, { resourceId, eventType }]),
    ).values(),
  ]
}

/** The newest webhook of each pair of resource and type. What pawl stored itself in between is passed over, from the newest one back. */
const selectNewest = createStatement((db, pairs: readonly Pick<Sought, 'resourceId' | 'eventType'>[]) =>
  db
    .selectFrom('events')
    .select(knownColumns)
    .where(
      sql<boolean>`id in (select (
        select newest.id from events as newest
        where newest.resource_id = given.column1 and newest.event_type = given.column2 and newest.source = 'webhook'
        order by newest.id desc limit 1)
      from (values ${sql.join(pairs.map((d) => sql`(${d.resourceId}, ${d.eventType})`))}) as given)`,
    ),
)

/** Finds them among all events; what it costs would grow with the number of partitions of the table. */
export async function findKnown(db: Db, sought: readonly Sought[]): Promise<KnownEvents> {
  const { rows: newest } = await selectNewest(db, pairsOf(sought))
  const eventKeys = sought.flatMap(({ eventKey }) => eventKey ?? [])
  if (eventKeys.length === 0) return { newest, keyed: [] }
  const keyed = await db.selectFrom('events').select(knownColumns).where('event_key', 'in', eventKeys).execute()
  return { newest, keyed }
}
