import { createServer } from 'node:http'
import express from 'express'
import { jwtVerify } from 'jose'
import { secret } from '../envelopes.ts'
import { announce } from './announce.ts'
import { answerParent } from './answer-parent.ts'

/** Express 5 with what no receiver of this service can do without: verify by jose, with a key imported once, then read the raw body; nothing is stored. */
const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const key = await crypto.subtle.importKey('raw', Buffer.from(secret), algorithm, false, ['verify'])
const app = express()
app.use(async (req, res, next) => {
  const verified = jwtVerify(req.get('x-webhook-secret') ?? '', key, { algorithms: ['HS256'] })
  const isGenuine = await verified.then(
    () => true,
    () => false,
  )
  if (isGenuine) next()
  else res.status(401).json({ error: 'unauthorized' })
})
app.post('/webhooks', express.raw({ type: '*/*', limit: '4mb' }), (_req, res) => {
  res.status(200).json({})
})
answerParent()
announce(createServer((req, res) => void app(req, res)))
