import { sql, type Transaction } from 'kysely'
import type { EventSource, Tables } from '../tables.ts'
import { createStatement, givenRows } from './statement.ts'

/** A row of `events`, as a claim reads it. */
export interface UnhandledEvent {
  id: number
  resource: number
  event_type: string
  received_at: number
  source: EventSource
  repeats: number
  fingerprint: Uint8Array
  traceparent: string | null
  /** Set for the newest event only. */
  body: Uint8Array | null
}

interface EventRange {
  newest: number
  after: number
}

/** Walked back from the newest event by their keys, to the first that not all handlers are in sync with. */
const selectEvents = createStatement((db, ranges: readonly EventRange[]) => {
  const events = sql<UnhandledEvent>`with recursive unhandled
      (id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body, previous, after) as (
    select events.id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body, previous, after
    from ${givenRows<EventRange>(db, ranges, { newest: 'integer', after: 'integer' })}
    join events on events.id = newest
    union all
    select events.id, events.resource, events.event_type, events.received_at, events.source, events.repeats,
      events.fingerprint, events.traceparent, null, events.previous, after
    from unhandled join events on events.id = unhandled.previous and events.id > after)
  select id, resource, event_type, received_at, source, repeats, fingerprint, traceparent, body
  from unhandled order by id`
  return { compile: () => events.compile(db) }
})

/** Events of these resources that not all handlers are in sync with, oldest first: those after the number given with each. */
export async function readUnhandled(
  trx: Transaction<Tables>,
  resources: readonly { row: { newest_event_id: number }; after: number }[],
): Promise<readonly UnhandledEvent[]> {
  const ranges = resources.flatMap(({ row: { newest_event_id: newest }, after }) =>
    after >= newest ? [] : { newest, after },
  )
  return ranges.length === 0 ? [] : (await selectEvents(trx, ranges)).rows
}
