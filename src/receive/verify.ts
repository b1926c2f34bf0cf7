import { createHash, timingSafeEqual } from 'node:crypto'
import { createVerifier, TokenError } from 'fast-jwt'
import { DeliveryRefused } from './delivery-refused.ts'

/** What a verified token says of the body: nothing, or its digest. */
export interface Verified {
  /** The names of its claims. */
  claims: readonly string[]
  /** Throws `DeliveryRefused` when the token carries a digest of another body. */
  assertBody(body: Uint8Array): void
}

/** Checks the X-Webhook-Secret JWT (specification, Authentication 6); throws `DeliveryRefused`. */
export type Verify = (token: string) => Verified

/** Claims that, where present, hold the SHA-256 of the raw body, in hex or Base64. */
const bodyDigestClaims = ['body_sha256', 'request_body_sha256'] as const

/** Sender and receiver may disagree by this much about the time. */
const clockToleranceMs = 30_000

/** What a token says, by its claims' names. */
type Claims = Readonly<Record<string, unknown>>

/** A token signed with any of the secrets (newest first) by HS256, and nothing else, is genuine. Synchronous: handing each HMAC to another thread costs several times what it takes (docs/performance.md). */
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

/** A verifier knows but one time: those of one second, one for each secret. */
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

/** The claims, or `undefined` when another secret may still fit. */
function verifyWith(token: string, verify: Verifier): Claims | undefined {
  try {
    const { header, payload } = verify(token)
    // The library takes an empty `crit` for none, and reads no `iat`.
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
