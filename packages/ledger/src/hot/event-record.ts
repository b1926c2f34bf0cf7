import type { EventSource, Tables } from '../tables.ts'

/** An event without its body. */
export interface EventRecord {
  id: number
  type: string
  receivedAt: number
  source: EventSource
  repeats: number
  /** Span in which it was received; absent where tracing is off. */
  traceparent?: string
}

/** A row of `events` as a record; without `traceparent` where that was not read. */
export function toEventRecord({
  id,
  event_type: type,
  received_at: receivedAt,
  source,
  repeats,
  traceparent,
}: Omit<EventRecord, 'type' | 'receivedAt' | 'traceparent'> &
  Pick<Tables['events'], 'event_type' | 'received_at'> &
  Partial<Pick<Tables['events'], 'traceparent'>>): EventRecord {
  return { id, type, receivedAt, source, repeats, ...(traceparent != null && { traceparent }) }
}
