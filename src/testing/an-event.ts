import { catalog, type EventType, type ResourceOf } from '../service/events/catalog.ts'
import { wording } from '../sandbox/webhooks/webhooks.ts'

/** The body of a webhook. */
export interface WebhookEnvelope {
  title: string
  description: string
  event_type: string
  data: { id: string; [field: string]: unknown }
  event_id?: string
  occurred_at?: string
}

const kinds = new Set<string>(Object.values(catalog))

/** A webhook about the resource, as the service words it. Without a type: the one that tells of another status. */
export function anEvent<T extends EventType>(resource: ResourceOf<T>, type?: T): WebhookEnvelope {
  const eventType = type ?? usualType(resource)
  if (!(eventType in wording))
    throw new TypeError(`${eventType} is not an event type: see src/service/events/catalog.ts.`)
  const { title, description } = wording[eventType]
  const envelope = { title, description, event_type: eventType, data: resource }
  if (catalog[eventType] !== 'provider_outreach') return envelope
  return { ...envelope, event_id: `wh_evt_${resource.id}`, occurred_at: '2026-03-01T09:00:00Z' }
}

function usualType({ object }: { object?: string | undefined }): EventType {
  if (object === undefined || !kinds.has(object)) throw new TypeError('Say which event type the webhook has.')
  if (object === 'provider_outreach') return 'prior_authorization.provider_outreach_change'
  // Only the outreach event has another name than its kind and status_change.
  return `${object}.status_change` as EventType
}
