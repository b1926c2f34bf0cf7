import type { RequestListener } from 'node:http'
import express from 'express'
import helmet from 'helmet'
import type { Receiver } from './receiver.ts'

/** The request target, also in its absolute form, which proxies send and every server must take (RFC 9112, 3.2.2). */
const webhooks = /^(?:https?:\/\/[^/?#]+)?\/webhooks\/?(?:\?|$)/i

/** The public listener: POST /webhooks straight to the receiver, since Express would cost more than all the receiver does; the rest through Express. */
export function createPublicApp(receiver: Receiver): RequestListener {
  const app = express()
  app.use(helmet())
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  app.use((_req, res) => {
    res.status(404).json({ error: { code: 'not_found', message: 'Webhooks are received at POST /webhooks.' } })
  })
  return (req, res) => {
    if (webhooks.test(req.url ?? '')) void receiver(req, res)
    else void app(req, res)
  }
}
