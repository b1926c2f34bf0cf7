import { createHash, timingSafeEqual } from 'node:crypto'
import { createVerifier, TokenError } from 'fast-jwt'
import { DeliveryRefused } from './delivery-refused.ts'

/** A verified token, with its check of the body. */
export interface Verified {
  /** The names of its claims. */
  claims: readonly string[]
  /** Throws `DeliveryRefused` if the token carries a digest of another body. */
  assertBody(body: Uint8Array): void
}

/** Checks the X-Webhook-Secret JWT (specification, Authentication 6); throws `DeliveryRefused`. */
export type Verify = (token: string) => Verified

/** Optional claims with the SHA-256 of the raw body, in hex or Base64. */
const bodyDigestClaims = ['body_sha256', 'request_body_sha256'] as const

/** Tolerated clock difference between sender and receiver. */
const clockToleranceMs = 30_000

type Claims = Readonly<Record<string, unknown>>

/** Accepts only tokens signed by HS256 with one of the secrets (newest first). Synchronous: moving each HMAC to another thread costs several times the HMAC itself (docs/performance.md). */
export function createVerify(secrets: readonly string[], now: () => number): Verify {
  let verifiers = createVerifiers(secrets, toSecond(now()))

  return (token) => {
    const second = toSecond(now())
    if (second !== verifiers.second) verifiers = createVerifiers(secrets, second)
    for (const verifier of verifiers.each) {
      const payload = verifyWith(token, verifier)
      if (payload !== undefined)
        return { claims: Object.keys(payload), assertBody: (body) => assertDigest(payload, body) }
    }
    throw new DeliveryRefused('token_invalid')
  }
}

type Verifier = (token: string) => { header: Claims; payload: Claims }

const toSecond = (ms: number) => Math.floor(ms / 1_000) * 1_000

/** The verifiers of one second, one for each secret: a verifier has a fixed time. */
function createVerifiers(secrets: readonly string[], second: number): { second: number; each: readonly Verifier[] } {
  const each = secrets.map((secret): Verifier =>
    createVerifier({
      key: secret,
      algorithms: ['HS256'],
      clockTimestamp: second,
      clockTolerance: clockToleranceMs,
      complete: true,
    }),
  )
  return { second, each }
}

/** The claims, or `undefined` if another secret may still fit. */
function verifyWith(token: string, verify: Verifier): Claims | undefined {
  try {
    const { header, payload } = verify(token)
    // The library accepts an empty `crit`, and does not check `iat`.
    const isOdd = header.crit !== undefined || (payload.iat !== undefined && typeof payload.iat !== 'number')
    if (!isOdd) return payload
  } catch (error) {
    const code = error instanceof TokenError ? error.code : undefined
    if (code === TokenError.codes.invalidSignature) return undefined
    if (code === TokenError.codes.expired || code === TokenError.codes.inactive)
      throw new DeliveryRefused('token_expired')
  }
  throw new DeliveryRefused('token_invalid')
}

function assertDigest(payload: Claims, body: Uint8Array): void {
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
