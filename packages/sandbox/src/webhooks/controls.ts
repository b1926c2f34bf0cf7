import { z } from 'zod'
import { success } from '../platform/answer.ts'
import { control, type Control } from '../platform/control.ts'
import { validationRefusal } from '../platform/refusal.ts'
import { fromWire } from '../platform/wire.ts'
import { deliveryStates, type Delivery } from './delivery.ts'
import type { DeliveryFilter, DeliveryLog } from './delivery-log.ts'
import { type DeliveryPage, type DeliveryQuery, readDeliveryPage } from './delivery-page.ts'
import {
  eventTypes,
  secretWarnings,
  type ShownWebhook,
  shownWebhook,
  type WebhookChange,
  WebhookRequest,
  type WebhookSettings,
} from './settings.ts'
import type { Webhooks } from './webhooks.ts'

/** Controls over webhooks and deliveries. `organization` defaults to the first one. */
export interface WebhookControls {
  listWebhooks(organization?: string): ShownWebhook[]
  readWebhook(name: string, organization?: string): ShownWebhook
  /** Adds or replaces the organization's webhook of that name; without a secret, the old one stays. */
  putWebhook(settings: WebhookChange, organization?: string): ShownWebhook
  /** Changes the given settings. */
  patchWebhook(name: string, changes: Partial<Omit<WebhookSettings, 'name'>>, organization?: string): ShownWebhook
  /** Gives up its pending deliveries. False if there was none of that name. */
  removeWebhook(name: string, organization?: string): boolean
  /** The delivery log, oldest first. */
  deliveries(filter?: DeliveryFilter): readonly Delivery[]
  /** One page of the delivery log. */
  deliveryPage(query?: DeliveryQuery): DeliveryPage
  /** One delivery, with its body, attempts and answers. */
  delivery(deliveryId: number): Delivery
  /** Sends the same bytes to the same webhook again, after `afterMs` wall-clock milliseconds (default 0); returns the new delivery's id. */
  redeliver(deliveryId: number, options?: { afterMs?: number }): number
  /** Resends the resource's oldest delivery, stale by now; refused without a newer one. */
  redeliverStale(resourceId: string, options?: { afterMs?: number }): number
}

/** Access to the webhooks of every organization. */
interface Registry {
  get(organization?: string): { webhooks: ReadonlyMap<string, WebhookSettings> }
  webhook(name: string, organization?: string): WebhookSettings
  putWebhook(settings: WebhookChange, organization?: string): WebhookSettings
  removeWebhook(name: string, organization?: string): boolean
}

export function webhookControls(deps: { registry: Registry; webhooks: Webhooks; log: DeliveryLog }): WebhookControls {
  const { registry, webhooks, log } = deps
  return {
    listWebhooks: (organization) => [...registry.get(organization).webhooks.values()].map(shownWebhook),
    readWebhook: (name, organization) => shownWebhook(registry.webhook(name, organization)),
    putWebhook: (settings, organization) => shownWebhook(registry.putWebhook(settings, organization)),
    patchWebhook: (name, changes, organization) =>
      shownWebhook(registry.putWebhook({ ...registry.webhook(name, organization), ...changes, name }, organization)),
    removeWebhook: registry.removeWebhook,
    deliveries: log.list,
    deliveryPage: (query = {}) => readDeliveryPage(log, query),
    delivery: log.get,
    redeliver: (deliveryId, { afterMs } = {}) => webhooks.redeliver(deliveryId, afterMs),
    redeliverStale: (resourceId, { afterMs } = {}) => webhooks.redeliverStale(resourceId, afterMs),
  }
}

const text = z.string().min(1)

const maxPage = 1_000
const PageRequest = z.strictObject({
  resource_id: text.optional(),
  // A custom delivery may have any type.
  event_type: text.optional(),
  organization: text.optional(),
  webhook: text.optional(),
  state: z.enum(deliveryStates).optional(),
  order: z.enum(['oldest', 'newest']).optional(),
  limit: z.coerce.number().int().min(1).max(maxPage).optional(),
  cursor: z.string().regex(/^\d+$/, 'must be the next_cursor of another page').optional(),
})

const PatchRequest = WebhookRequest.partial()

const RedeliverRequest = z.strictObject({ after_ms: z.number().nonnegative().optional() })

function wrongName(webhook: string) {
  return validationRefusal([{ loc: ['body', 'name'], msg: `must be ${webhook}, as in the path`, type: 'value_error' }])
}

function isKnown(eventType: string, { deliveries }: Pick<WebhookControls, 'deliveries'>): boolean {
  return eventTypes.some((one) => one === eventType) || deliveries({ eventType }).length > 0
}

function unknownType() {
  const msg = `must be a type that was sent, or one of: ${eventTypes.join(', ')}`
  return validationRefusal([{ loc: ['query', 'event_type'], msg, type: 'enum' }])
}

/** A delivery in a list, without its long fields. */
function listed({ body, attempts, ...delivery }: Delivery) {
  const brief = attempts.map(({ headers: _headers, ...attempt }) => attempt)
  return { ...delivery, attempts: brief, bytes: Buffer.byteLength(body) }
}

const ofOrganization = '/organizations/:organization/webhooks'

export const webhookControlRoutes = (controls: WebhookControls): Control[] => [
  control(`GET ${ofOrganization}`, { summary: 'List webhooks, without secrets' }, ({ organization }) =>
    controls.listWebhooks(organization),
  ),
  control(
    `PUT ${ofOrganization}`,
    { summary: 'Add or replace a webhook by its name', body: WebhookRequest },
    ({ organization, body }) => {
      const settings = fromWire(body)
      const webhook = controls.putWebhook(settings, organization)
      return { ...webhook, warnings: settings.secret === undefined ? [] : secretWarnings(settings.secret) }
    },
  ),
  control(`GET ${ofOrganization}/:webhook`, { summary: 'Show a webhook' }, ({ webhook, organization }) =>
    controls.readWebhook(webhook, organization),
  ),
  control(
    `PATCH ${ofOrganization}/:webhook`,
    { summary: 'Change a webhook', body: PatchRequest },
    ({ webhook, organization, body }) => {
      const { name = webhook, ...changes } = fromWire(body)
      if (name !== webhook) throw wrongName(webhook)
      return controls.patchWebhook(webhook, changes, organization)
    },
  ),
  control(
    `DELETE ${ofOrganization}/:webhook`,
    { summary: 'Remove a webhook, and give up its pending deliveries' },
    ({ webhook, organization }) => ({ removed: controls.removeWebhook(webhook, organization) }),
  ),
  control('GET /deliveries', { summary: 'List deliveries, without bodies', query: PageRequest }, ({ query, res }) => {
    const { event_type: eventType } = query
    if (eventType !== undefined && !isKnown(eventType, controls)) throw unknownType()
    const page = controls.deliveryPage(fromWire(query))
    res.json({ ...success(page.deliveries.map(listed)), next_cursor: page.nextCursor })
  }),
  control('GET /deliveries/:id', { summary: 'Show a delivery with its body and attempts' }, ({ id }) =>
    controls.delivery(Number(id)),
  ),
  control(
    'POST /deliveries/:id/redeliver',
    { summary: 'Send the same bytes again', body: RedeliverRequest, isBodyOptional: true },
    ({ id, body }) => ({ id: controls.redeliver(Number(id), fromWire(body)) }),
  ),
  control(
    'POST /resources/:id/redeliver-stale',
    { summary: 'Send the oldest delivery of a resource again', body: RedeliverRequest, isBodyOptional: true },
    ({ id, body }) => ({ id: controls.redeliverStale(id, fromWire(body)) }),
  ),
]
