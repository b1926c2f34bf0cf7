import type { RequestListener } from 'node:http'
import express from 'express'
import helmet from 'helmet'
import type { JWK } from 'jose'
import type { Receiver } from './receiver.ts'

/** The request target, also in its absolute form, which proxies send and every server must take (RFC 9112, 3.2.2). */
const webhooks = /^(?:https?:\/\/[^/?#]+)?\/webhooks\/?(?:\?|$)/i

/** The public listener: POST /webhooks straight to the receiver, since Express would cost more than all the receiver does; the rest through Express. `publicKeys`: what other systems verify pawl's signatures with. */
export function createPublicApp(receiver: Receiver, publicKeys: readonly JWK[] = []): RequestListener {
  const app = express()
  app.use(helmet())
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' })
  })
  if (publicKeys.length > 0)
    app.get('/.well-known/jwks.json', (_req, res) => {
      res.set('cache-control', 'public, max-age=300').json({ keys: publicKeys.map(withoutPrivateParts) })
    })
  app.use((_req, res) => {
    res.status(404).json({ error: { code: 'not_found', message: 'Webhooks are received at POST /webhooks.' } })
  })
  return (req, res) => {
    if (webhooks.test(req.url ?? '')) void receiver(req, res)
    else void app(req, res)
  }
}

/** A system of a fork may hand over more than it should: of a key goes out what is known to be public. */
function withoutPrivateParts({ kty, kid, alg, use, crv, x, y, n, e }: JWK) {
  return { kty, kid, alg, use, crv, x, y, n, e }
}
