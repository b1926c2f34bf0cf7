import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'

const lifetimeSeconds = 300

/** The `X-Webhook-Secret` JWT of one attempt: HS256, valid for five minutes of wall time (specification, Authentication 6). */
export function signDelivery(input: {
  secret: string
  body: string
  bodyDigest: boolean
  nowMs: number
}): Promise<string> {
  const { secret, body, bodyDigest, nowMs } = input
  const claims = bodyDigest ? { body_sha256: createHash('sha256').update(body).digest('hex') } : {}
  const issuedAt = Math.floor(nowMs / 1000)
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(new TextEncoder().encode(secret))
}
