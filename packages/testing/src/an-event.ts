import { eventKinds, type EventType, type ResourceOf } from 'pawl-client/events/event-types'
import type { WebhookEnvelope } from 'pawl-client/schemas/envelope'
import { asSent } from 'pawl-client/schemas/lenient'
import { wording } from '@pawl/sandbox/webhooks/webhooks'

const kinds = new Set<string>(Object.values(eventKinds))

/** A webhook about the resource, as the service words it. The default type reports a status change. */
export function anEvent<T extends EventType>(resource: ResourceOf<T>, type?: T): WebhookEnvelope {
  const eventType = type ?? usualType(resource)
  if (!(eventType in wording))
    throw new TypeError(`${eventType} is not an event type: see packages/client/src/events/event-types.ts.`)
  const { title, description } = wording[eventType]
  // The compiler cannot see that the fields remain those of a resource.
  const data = asSent(resource) as WebhookEnvelope['data']
  const envelope = { title, description, event_type: eventType, data }
  if (eventKinds[eventType] !== 'provider_outreach') return envelope
  return { ...envelope, event_id: `wh_evt_${resource.id}`, occurred_at: '2026-03-01T09:00:00Z' }
}

function usualType({ object }: { object?: string | undefined }): EventType {
  if (object === undefined || !kinds.has(object)) throw new TypeError('Give the event type of the webhook.')
  if (object === 'provider_outreach') return 'prior_authorization.provider_outreach_change'
  // Every event is named `<kind>.status_change`, except the outreach event.
  return `${object}.status_change` as EventType
}
