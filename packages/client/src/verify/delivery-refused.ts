import { PawlError } from '@pawl/base/errors'
import type { JsonBounds } from '@pawl/base/parse-json'

/** Limits of one delivery. The fullest PA of the specification has a depth of 7 and about 150 fields. */
export const deliveryBounds: JsonBounds = { maxDepth: 64, maxValues: 50_000 }

/** Reasons of refusals, with the status of the answer (docs/failure.md, Deliveries). */
const statuses = {
  address_not_allowed: 403,
  wrong_method: 405,
  wrong_content_type: 415,
  wrong_content_encoding: 415,
  too_large: 413,
  token_missing: 401,
  token_invalid: 401,
  token_expired: 401,
  body_digest_mismatch: 401,
  body_incomplete: 400,
  body_too_slow: 408,
  not_json: 400,
  json_too_deep: 400,
  json_too_many_values: 400,
  not_an_envelope: 400,
} as const satisfies Record<string, number>

export type RefusalReason = keyof typeof statuses

const sentences: Record<RefusalReason, string> = {
  address_not_allowed: 'Webhooks are not accepted from this address.',
  wrong_method: 'Send webhooks with POST.',
  wrong_content_type: 'Send the envelope as application/json.',
  wrong_content_encoding: 'Send the envelope without Content-Encoding: it is read as it is.',
  too_large: 'The body is larger than this receiver accepts.',
  token_missing: 'Send a JWT in the X-Webhook-Secret header.',
  token_invalid: 'The X-Webhook-Secret JWT is not signed with a secret that this receiver knows (HS256).',
  token_expired: 'The X-Webhook-Secret JWT is expired or not yet valid.',
  body_digest_mismatch: 'The body does not match the digest in the X-Webhook-Secret JWT.',
  body_incomplete: 'The body ended early.',
  body_too_slow: 'The body did not arrive in time.',
  not_json: 'The body is not JSON.',
  json_too_deep: `The body has more than ${deliveryBounds.maxDepth} nested lists and objects.`,
  json_too_many_values: `The body has more than ${deliveryBounds.maxValues} fields and elements.`,
  not_an_envelope: 'The body is not an envelope: an object with event_type and data.',
}

const refused = 'delivery refused'

/** Log messages of refusals, with the setting that may be the cause. */
export const refusalLines: Partial<Record<RefusalReason, string>> & { other: string } = {
  address_not_allowed: `${refused}: compare ALLOWED_ADDRESSES and TRUSTED_PROXIES with the service's sender addresses`,
  token_invalid: `${refused}: compare WEBHOOK_SECRETS with the secret key of the webhook in the service's admin panel`,
  token_expired: `${refused}: check the clock of this machine (NTP)`,
  too_large: `${refused}: MAX_BODY_BYTES is the limit`,
  other: refused,
}

/** A delivery answered with 4xx and not stored. */
export class DeliveryRefused extends PawlError {
  readonly code: RefusalReason
  override readonly httpStatus: number

  constructor(code: RefusalReason) {
    super(sentences[code])
    this.code = code
    this.httpStatus = statuses[code]
  }
}
