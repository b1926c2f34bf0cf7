import type { WebhookEnvelope } from 'pawl-client/schemas/envelope'
import { codedRefusal } from '../platform/refusal.ts'
import type { Deliverer } from './deliverer.ts'
import type { DeliveryLog } from './delivery-log.ts'
import type { Delivery } from './delivery.ts'
import type { SandboxEventType, WebhookSettings } from './settings.ts'

/** Title and description of every event; the specification shows most titles and no descriptions (specification, Events). */
export const wording: Record<SandboxEventType, { title: string; description: string }> = {
  'benefit_verification.status_change': {
    title: 'Benefit Verification Updated',
    description: 'A benefit verification was completed or has failed.',
  },
  'prior_authorization.status_change': {
    title: 'Prior Authorization Updated',
    description: 'The status or the outcome of a prior authorization changed.',
  },
  'prior_authorization.activity_log_updated': {
    title: 'Prior Authorization Activity Log Updated',
    description: 'The activity log of a prior authorization changed.',
  },
  'prior_authorization.message': {
    title: 'Prior Authorization Message',
    description: 'A message was added to the thread of a prior authorization.',
  },
  'prior_authorization.prescription_transfer_change': {
    title: 'Prior Authorization Prescription Transfer Updated',
    description: 'The prescription transfer of a prior authorization changed.',
  },
  'prior_authorization.real_time_benefits_check_change': {
    title: 'Prior Authorization Real-Time Benefits Check',
    description: 'A real-time benefits check of a prior authorization was completed.',
  },
  'prior_authorization.provider_outreach_change': {
    title: 'Prior Authorization Provider Outreach Updated',
    description: 'A provider outreach attempt was created or changed.',
  },
}

/** Types that a webhook receives only if it names them (specification, Events: disabled by default, beta). */
const onRequest: ReadonlySet<SandboxEventType> = new Set([
  'prior_authorization.activity_log_updated',
  'prior_authorization.provider_outreach_change',
])

/** Whether a webhook receives the type only if it names it. */
export function isOnRequest(type: SandboxEventType): boolean {
  return onRequest.has(type)
}

/** Sends an event with a snapshot of the resource to an organization's webhooks. */
export type Emit = (event: {
  organization: string
  type: SandboxEventType
  resource: { id: string }
  /** Fields of the envelope in addition to the four shared ones. */
  extra?: Pick<WebhookEnvelope, 'event_id' | 'occurred_at'>
}) => void

/** An emitted event and its deliveries: none without a webhook for its type. */
export interface EmittedEvent {
  type: SandboxEventType
  resourceId: string
  /** Set for an outreach event, the only one with an id. */
  eventId?: string
  deliveryIds: number[]
}

/** Runs `act` and returns the events that it emitted. */
export type RecordEvents = <T>(act: () => T) => { result: T; events: EmittedEvent[] }

export interface Webhooks {
  emit(...event: Parameters<Emit>): EmittedEvent
  recordEvents: RecordEvents
  redeliver(deliveryId: number, afterMs?: number): number
  redeliverStale(resourceId: string, afterMs?: number): number
}

export function createWebhooks(deps: {
  webhooksOf: (organization: string) => Iterable<WebhookSettings>
  /** Signs the file URLs of a resource. */
  sign: <T>(resource: T) => T
  log: DeliveryLog
  deliverer: Deliverer
  /** Sends a new delivery, subject to chaos. */
  send: (delivery: Delivery) => void
}): Webhooks {
  const { webhooksOf, sign, log, deliverer, send } = deps

  function repeat({ id, webhook, organization, eventType, resourceId, body }: Delivery, afterMs?: number): number {
    const copy = log.add({ webhook, organization, eventType, resourceId, copyOf: id, body })
    deliverer.deliver(copy, afterMs)
    return copy.id
  }

  /** Active recordings, innermost last. */
  const recordings: EmittedEvent[][] = []

  return {
    emit: ({ organization, type, resource, extra = {} }) => {
      const event: EmittedEvent = { type, resourceId: resource.id, deliveryIds: [] }
      if (extra.event_id !== undefined) event.eventId = extra.event_id
      for (const recording of recordings) recording.push(event)
      const listening = [...webhooksOf(organization)].filter((webhook) => wants(webhook, type))
      if (listening.length === 0) return event
      const body = JSON.stringify({ ...wording[type], event_type: type, ...extra, data: sign(resource) })
      for (const { name } of listening) {
        const delivery = log.add({ webhook: name, organization, eventType: type, resourceId: resource.id, body })
        event.deliveryIds.push(delivery.id)
        send(delivery)
      }
      return event
    },
    recordEvents: (act) => {
      const events: EmittedEvent[] = []
      recordings.push(events)
      try {
        return { result: act(), events }
      } finally {
        recordings.splice(recordings.indexOf(events), 1)
      }
    },
    redeliver: (deliveryId, afterMs) => repeat(log.get(deliveryId), afterMs),
    redeliverStale: (resourceId, afterMs) => {
      const [oldest, ...newer] = log.list({ resourceId }).filter(({ copyOf }) => copyOf === undefined)
      const isStale = oldest !== undefined && newer.some(({ body }) => body !== oldest.body)
      if (isStale) return repeat(oldest, afterMs)
      throw codedRefusal(409, {
        title: 'Nothing stale',
        description: `${resourceId} has no stale delivery yet; move it to another status first.`,
        code: 'nothing_stale',
      })
    },
  }
}

function wants({ enabled = true, events = 'all' }: WebhookSettings, type: SandboxEventType): boolean {
  return enabled && (events === 'all' ? !isOnRequest(type) : events.includes(type))
}
