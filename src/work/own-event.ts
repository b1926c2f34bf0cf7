import { randomUUID } from 'node:crypto'
import type { EventType } from 'pawl-client/events/event-types'
import { currentTraceparent } from '@pawl/base/tracing/span'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { Delivery } from '@pawl/ledger/hot/accept'

/** Makes an event of pawl's own for the ledger to accept, of the type that reports the kind's status. Its body has a unique id, so that it never counts as a duplicate. It has no resource data, which could contradict the API. */
export function ownEvent(event: {
  resourceId: string
  kind: ResourceKind
  source: 'poll' | 'api' | 'cli'
  title: string
}): Delivery {
  const { resourceId, kind, source, title } = event
  const eventType: EventType =
    kind === 'provider_outreach' ? 'prior_authorization.provider_outreach_change' : `${kind}.status_change`
  const body = Buffer.from(JSON.stringify({ title, event_type: eventType, request_id: randomUUID() }))
  return { resourceId, kind, eventType, source, eventKey: undefined, body, traceparent: currentTraceparent() }
}
