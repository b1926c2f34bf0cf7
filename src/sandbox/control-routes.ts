import { Router } from 'express'
import { z } from 'zod'
import type { Controls } from './controls.ts'
import { eventTypes } from './options.ts'
import type { Truth } from './sandbox.ts'
import { validate } from './platform/validate.ts'
import { compact, success } from './platform/answer.ts'

const text = z.string().min(1)

const NewMessageRequest = z.strictObject({
  content: text,
  direction: z.enum(['sent', 'received']).optional(),
  sent_by_name: text.optional(),
  is_resolution: z.boolean().optional(),
})

const PushRequest = z.strictObject({
  status: text,
  outcome: z
    .strictObject({ result: z.enum(['Approved', 'Denied', 'Not Submitted', 'Other']), detail_code: text.optional() })
    .optional(),
})

const RedeliverRequest = z.strictObject({ after_ms: z.number().nonnegative().optional() })

const WebhookRequest = z.strictObject({
  name: text,
  url: z.url(),
  secret: text,
  events: z.union([z.literal('all'), z.array(z.enum(eventTypes))]).optional(),
  enabled: z.boolean().optional(),
  body_digest: z.boolean().optional(),
})

const TokenRequest = z.strictObject({ organization: text.optional() })

const DeliveryFilter = z.strictObject({ resource_id: text.optional(), event_type: z.enum(eventTypes).optional() })

/** The controls under `/_sandbox/`: no token is asked for, so the sandbox listens on the loopback address alone. */
export function controlRoutes(deps: {
  controls: Controls
  truth: () => Truth
  issueToken: (organization?: string) => Promise<string>
}) {
  const { controls, truth, issueToken } = deps
  const router = Router()

  router.get('/truth', (_req, res) => {
    res.json(success(truth()))
  })

  router.post('/tokens', (req, res, next) => {
    const { organization } = validate(TokenRequest, req.body ?? {})
    issueToken(organization).then((token) => res.json(success({ token })), next)
  })

  router.put('/organizations/:organization/webhooks', (req, res) => {
    const { body_digest: bodyDigest, ...settings } = validate(WebhookRequest, req.body)
    controls.putWebhook(compact({ ...settings, bodyDigest }), req.params.organization)
    res.json({ status: 'success' })
  })

  router.post('/step', (_req, res) => {
    res.json(success({ id: controls.step() ?? null }))
  })

  router.post('/prior-authorization/:id/messages', (req, res) => {
    const { sent_by_name, is_resolution, ...message } = validate(NewMessageRequest, req.body)
    const id = controls.addMessage(
      req.params.id,
      compact({ ...message, sentByName: sent_by_name, isResolution: is_resolution }),
    )
    res.json(success({ id }))
  })

  router.post('/prior-authorization/:id/review', (req, res) => {
    controls.review(req.params.id)
    res.json({ status: 'success' })
  })

  router.post('/resources/:id/push', (req, res) => {
    const { status, outcome } = validate(PushRequest, req.body)
    controls.push(req.params.id, status, outcome === undefined ? {} : { outcome: compact(outcome) })
    res.json({ status: 'success' })
  })

  router.post('/resources/:id/cancel', (req, res) => {
    controls.cancel(req.params.id)
    res.json({ status: 'success' })
  })

  router.post('/resources/:id/redeliver-stale', (req, res) => {
    const { after_ms } = validate(RedeliverRequest, req.body ?? {})
    res.json(success({ id: controls.redeliverStale(req.params.id, compact({ afterMs: after_ms })) }))
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

  return router
}
