import { type Kysely, sql } from 'kysely'
import { createStatement } from './statement.ts'
import type { Tables } from './tables.ts'

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
  /** The newest of a resource and type; one that no delivery is a copy of may be missing. */
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

/** Finds them among all events, or among those below a number; what it costs grows with the number of partitions of the table, where it has some. */
export function createFindKnown(below?: number): (db: Db, sought: readonly Sought[]) => Promise<KnownEvents> {
  const inRange = below === undefined ? sql<boolean>`true` : sql<boolean>`id < ${sql.lit(below)}`

  /** The newest event of each pair of resource and type. */
  const selectNewest = createStatement((db, pairs: readonly Pick<Sought, 'resourceId' | 'eventType'>[]) =>
    db
      .selectFrom('events')
      .select(knownColumns)
      .where(inRange)
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('events')
          .select((max) => max.fn.max('id').as('id'))
          .where(
            sql<boolean>`(resource_id, event_type) in (values ${sql.join(pairs.map((d) => sql`(${d.resourceId}, ${d.eventType})`))})`,
          )
          .where(inRange)
          .groupBy(['resource_id', 'event_type']),
      ),
  )

  return async (db, sought) => {
    const { rows: newest } = await selectNewest(db, pairsOf(sought))
    const eventKeys = sought.flatMap(({ eventKey }) => eventKey ?? [])
    if (eventKeys.length === 0) return { newest, keyed: [] }
    const keyed = await db
      .selectFrom('events')
      .select(knownColumns)
      .where(inRange)
      .where('event_key', 'in', eventKeys)
      .execute()
    return { newest, keyed }
  }
}
