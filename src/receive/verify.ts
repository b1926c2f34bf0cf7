import { createHash, timingSafeEqual } from 'node:crypto'
import { type CryptoKey, errors, type JWTPayload, jwtVerify } from 'jose'
import { DeliveryRefused } from './delivery-refused.ts'

/** What a verified token says of the body: nothing, or its digest. */
export interface Verified {
  /** The names of its claims. */
  claims: readonly string[]
  /** Throws `DeliveryRefused` when the token carries a digest of another body. */
  assertBody(body: Uint8Array): void
}

/** Checks the X-Webhook-Secret JWT (specification, Authentication 6); throws `DeliveryRefused`. */
export type Verify = (token: string) => Promise<Verified>

/** Claims that, where present, hold the SHA-256 of the raw body, in hex or Base64. */
const bodyDigestClaims = ['body_sha256', 'request_body_sha256'] as const

/** Sender and receiver may disagree by this much about the time. */
const clockToleranceSeconds = 30

/** Imports the secrets once, newest first; a token signed with any of them by HS256, and nothing else, is genuine. */
export async function createVerify(secrets: readonly string[], now: () => number): Promise<Verify> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const keys = await Promise.all(
    secrets.map((secret) =>
      crypto.subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']),
    ),
  )
  return async (token) => {
    for (const key of keys) {
      const payload = await verifyWith(token, key, new Date(now()))
      if (payload !== undefined)
        return { claims: Object.keys(payload), assertBody: (body) => assertDigest(payload, body) }
    }
    throw new DeliveryRefused('token_invalid')
  }
}

/** The claims, or `undefined` when another key may still fit. */
async function verifyWith(token: string, key: CryptoKey, currentDate: Date): Promise<JWTPayload | undefined> {
  try {
    const options = { algorithms: ['HS256'], clockTolerance: clockToleranceSeconds, currentDate }
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return undefined
    // A claim that is no time at all is refused by the same class as one that is not there yet.
    const isUntimely =
      error instanceof errors.JWTExpired ||
      (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed')
    throw new DeliveryRefused(isUntimely ? 'token_expired' : 'token_invalid')
  }
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
