import { Router } from 'express'
import { z } from 'zod'
import { compact, success } from '../platform/answer.ts'
import { validate } from '../platform/validate.ts'
import type { Delivery } from './delivery.ts'
import type { DeliveryLog } from './delivery-log.ts'
import { eventTypes, type SandboxEventType, secretWarnings, type WebhookSettings } from './settings.ts'
import type { Webhooks } from './webhooks.ts'

/** Controls over webhooks and deliveries. */
export interface WebhookControls {
  /** Adds or replaces the organization's webhook of that name. */
  putWebhook(settings: WebhookSettings, organization?: string): void
  /** Whether there was one of that name. Its pending deliveries are given up. */
  removeWebhook(name: string, organization?: string): boolean
  /** The delivery log, oldest first. */
  deliveries(filter?: { resourceId?: string; eventType?: SandboxEventType }): readonly Delivery[]
  /** Sends the same bytes to the same webhook again, after `afterMs` wall-clock milliseconds (default 0); the new delivery's id. */
  redeliver(deliveryId: number, options?: { afterMs?: number }): number
  /** Sends the resource's oldest delivery again, which by now is stale; refused while there is no newer one. */
  redeliverStale(resourceId: string, options?: { afterMs?: number }): number
}

/** Creates the controls over webhooks. `registry` keeps the webhooks of every organization. */
export function webhookControls(deps: {
  registry: Pick<WebhookControls, 'putWebhook' | 'removeWebhook'>
  webhooks: Webhooks
  log: DeliveryLog
}): WebhookControls {
  const { registry, webhooks, log } = deps
  return {
    putWebhook: registry.putWebhook,
    removeWebhook: registry.removeWebhook,
    deliveries: log.list,
    redeliver: (deliveryId, { afterMs } = {}) => webhooks.redeliver(deliveryId, afterMs),
    redeliverStale: (resourceId, { afterMs } = {}) => webhooks.redeliverStale(resourceId, afterMs),
  }
}

const text = z.string().min(1)

const WebhookRequest = z.strictObject({
  name: text,
  url: z.url(),
  secret: text,
  events: z.union([z.literal('all'), z.array(z.enum(eventTypes))]).optional(),
  enabled: z.boolean().optional(),
  body_digest: z.boolean().optional(),
})

const DeliveryFilter = z.strictObject({ resource_id: text.optional(), event_type: z.enum(eventTypes).optional() })

const RedeliverRequest = z.strictObject({ after_ms: z.number().nonnegative().optional() })

/** The same over HTTP. */
export function webhookControlRoutes(controls: WebhookControls): Router {
  const router = Router()

  router.put('/organizations/:organization/webhooks', (req, res) => {
    const { body_digest: bodyDigest, ...settings } = validate(WebhookRequest, req.body)
    controls.putWebhook(compact({ ...settings, bodyDigest }), req.params.organization)
    res.json(success({ warnings: secretWarnings(settings.secret) }))
  })

  router.delete('/organizations/:organization/webhooks/:webhook', (req, res) => {
    const { webhook, organization } = req.params
    res.json(success({ removed: controls.removeWebhook(webhook, organization) }))
  })

  router.get('/deliveries', (req, res) => {
    const { resource_id, event_type } = validate(DeliveryFilter, req.query, 'query')
    const deliveries = controls.deliveries(compact({ resourceId: resource_id, eventType: event_type }))
    res.json(success(deliveries.map(({ body, ...delivery }) => ({ ...delivery, bytes: Buffer.byteLength(body) }))))
  })

  router.post('/deliveries/:id/redeliver', (req, res) => {
    const { after_ms } = validate(RedeliverRequest, req.body ?? {})
    res.json(success({ id: controls.redeliver(Number(req.params.id), compact({ afterMs: after_ms })) }))
  })

  router.post('/resources/:id/redeliver-stale', (req, res) => {
    const { after_ms } = validate(RedeliverRequest, req.body ?? {})
    res.json(success({ id: controls.redeliverStale(req.params.id, compact({ afterMs: after_ms })) }))
  })

  return router
}
