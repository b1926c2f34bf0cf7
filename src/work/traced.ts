import type { LogFields } from '@pawl/base/log'
import type { SpanFacts } from '@pawl/base/tracing/span'
import { traceIdOf } from '@pawl/base/tracing/trace-id'
import type { Claim } from '@pawl/ledger/hot/claim'
import type { EventRecord } from '@pawl/ledger/hot/event-record'

/** The newest event of a claim; undefined when all handlers are in sync. */
export function newestOf({ events, newestEventId }: Claim): EventRecord | undefined {
  return events.findLast(({ id }) => id === newestEventId)
}

/** The trace id of log lines about an event. */
export function tracedBy(event: EventRecord | undefined): Pick<LogFields, 'trace_id'> {
  return event === undefined ? {} : { trace_id: traceIdOf(event) }
}

/** The span of the work under a claim: continues the trace of the newest event and links to the others. */
export function spanOf(claim: Claim): SpanFacts {
  const newest = newestOf(claim)
  const others = claim.events.filter((event) => event !== newest).map(({ traceparent }) => traceparent)
  return {
    kind: 'consumer',
    follows: { traceparent: newest?.traceparent, others },
    attributes: {
      'messaging.system': 'pawl',
      'messaging.destination.name': 'pawl.work',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'pawl.resource.id': claim.resourceId,
      'pawl.resource.kind': claim.kind,
      'pawl.event.id': claim.newestEventId,
    },
  }
}
