import type { RequestListener } from 'node:http'
import express, { type RequestHandler } from 'express'
import helmet from 'helmet'
import type { JWK } from 'jose'
import type { Receiver } from './receiver.ts'

/** The request target, also in absolute form, which proxies send and every server must accept (RFC 9112, 3.2.2). */
const webhooks = /^(?:https?:\/\/[^/?#]+)?\/webhooks\/?(?:\?|$)/i

/** The public listener: POST /webhooks goes straight to the receiver, since Express would cost more than the receiver itself; the rest goes through Express. `publicKeys`: verify pawl's signatures. `feed`: what pharmacies read. */
export function createPublicApp(
  receiver: Receiver,
  publicKeys: readonly JWK[] = [],
  feed?: RequestHandler,
): RequestListener {
  const app = express()
  app.use(helmet())
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  if (publicKeys.length > 0)
    app.get('/.well-known/jwks.json', (_req, res) => {
      res.set('cache-control', 'public, max-age=300').json({ keys: publicKeys.map(withoutPrivateParts) })
    })
  if (feed !== undefined) app.use(feed)
  app.use((_req, res) => {
    const places = `Webhooks are received at POST /webhooks${feed === undefined ? '' : ', and pharmacies read GET /pharmacy/transfers'}.`
    res.status(404).json({ error: { code: 'not_found', message: places } })
  })
  return (req, res) => {
    if (webhooks.test(req.url ?? '')) void receiver(req, res)
    else void app(req, res)
  }
}

/** Publishes only known public members of a key: a fork's system may pass a private one by mistake. */
function withoutPrivateParts({ kty, kid, alg, use, crv, x, y, n, e }: JWK) {
  return { kty, kid, alg, use, crv, x, y, n, e }
}
