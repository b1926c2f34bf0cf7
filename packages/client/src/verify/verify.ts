import { createHash, timingSafeEqual } from 'node:crypto'
import { type CryptoKey, errors, type JWTPayload, jwtVerify } from 'jose'
import { DeliveryRefused } from './delivery-refused.ts'

/** A verified token, which can check its body. */
export interface Verified {
  /** The names of its claims. */
  claims: readonly string[]
  /** Throws `DeliveryRefused` if the token carries a digest of another body. */
  assertBody(body: Uint8Array): void
}

/** Checks the X-Webhook-Secret JWT (specification, Authentication 6); throws `DeliveryRefused`. */
export type Verify = (token: string) => Promise<Verified>

/** Optional claims with the SHA-256 of the raw body, in hex or Base64. */
const bodyDigestClaims = ['body_sha256', 'request_body_sha256'] as const

/** Tolerated clock difference between sender and receiver. */
const clockToleranceSeconds = 30

/** base64url without padding (RFC 7515, 2); jose also accepts padding and white space. */
const compactJws = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Imports the secrets (newest first) once. Accepts only tokens signed by HS256 with one of them. */
export async function createVerify(secrets: readonly string[], now: () => number = Date.now): Promise<Verify> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const keys = await Promise.all(
    secrets.map((secret) => crypto.subtle.importKey('raw', Buffer.from(secret), algorithm, false, ['verify'])),
  )

  return async (token) => {
    if (!compactJws.test(token)) throw new DeliveryRefused('token_invalid')
    for (const key of keys) {
      const payload = await verifyWith(token, key, new Date(now()))
      if (payload !== undefined)
        return { claims: Object.keys(payload), assertBody: (body) => assertDigest(payload, body) }
    }
    throw new DeliveryRefused('token_invalid')
  }
}

/** The claims, or `undefined` if another secret may still fit. */
async function verifyWith(token: string, key: CryptoKey, currentDate: Date): Promise<JWTPayload | undefined> {
  try {
    const options = { algorithms: ['HS256'], clockTolerance: clockToleranceSeconds, currentDate }
    const { protectedHeader, payload } = await jwtVerify(token, key, options)
    // jose accepts `b64` as critical; pawl accepts no critical header.
    if (protectedHeader.crit === undefined) return payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined
    // A claim of the wrong type has the same class as an `nbf` in the future.
    const isUntimely =
      error instanceof errors.JWTExpired ||
      (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed')
    if (isUntimely) throw new DeliveryRefused('token_expired')
  }
  throw new DeliveryRefused('token_invalid')
}

function assertDigest(payload: JWTPayload, body: Uint8Array): void {
  for (const claim of bodyDigestClaims) {
    const stated = payload[claim]
    if (stated === undefined) continue
    const digest = createHash('sha256').update(body).digest()
    const text = typeof stated === 'string' ? stated : ''
    const bytes = Buffer.from(text, /^[0-9a-f]{64}$/i.test(text) ? 'hex' : 'base64')
    if (bytes.length !== digest.length || !timingSafeEqual(bytes, digest)) {
      throw new DeliveryRefused('body_digest_mismatch')
    }
  }
}
