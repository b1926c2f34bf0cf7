import { z } from 'zod'
import { validationRefusal } from '../platform/refusal.ts'
import type { FromWire } from '../platform/wire.ts'

/** All event types of the sandbox (specification, Events). */
export const eventTypes = [
  'benefit_verification.status_change',
  'prior_authorization.status_change',
  'prior_authorization.activity_log_updated',
  'prior_authorization.message',
  'prior_authorization.prescription_transfer_change',
  'prior_authorization.real_time_benefits_check_change',
  'prior_authorization.provider_outreach_change',
] as const
export type SandboxEventType = (typeof eventTypes)[number]

const notAll = `must be all, or a list of: ${eventTypes.join(', ')}`

/** A webhook as controls take it, as configured in the service's admin panel (specification, Events). */
export const WebhookRequest = z.strictObject({
  name: z.string().min(1),
  url: z.url({ protocol: /^https?$/ }),
  /** Signs the `X-Webhook-Secret` JWT (HS256). */
  secret: z.string().min(1).optional(),
  /** `all` (default) omits the types that the service enables only on request: activity log and provider outreach. */
  events: z.union([z.array(z.enum(eventTypes)), z.literal('all', { error: notAll })]).optional(),
  /** Default true. False stops all deliveries, including retries. */
  enabled: z.boolean().optional(),
  /** Puts the hex SHA-256 of the raw body into the JWT as `body_sha256`. Default false, as the service documents no claims. */
  body_digest: z.boolean().optional(),
})

/** A webhook; the secret may be omitted if it replaces one of the same name. */
export type WebhookChange = FromWire<z.infer<typeof WebhookRequest>>

export type WebhookSettings = WebhookChange & { secret: string }

/** A webhook as controls show it, without its secret. */
export type ShownWebhook = Required<Omit<WebhookSettings, 'secret'>>

/** Drops the secret and fills in defaults. */
export function shownWebhook({ secret: _secret, ...webhook }: WebhookSettings): ShownWebhook {
  return { events: 'all', enabled: true, bodyDigest: false, ...webhook }
}

/** Takes a missing secret from the replaced webhook; throws `Refusal` 422 without one. */
export function withSecret(
  change: WebhookChange,
  kept: ReadonlyMap<string, WebhookSettings>,
  at: readonly string[] = [],
): WebhookSettings {
  const secret = change.secret ?? kept.get(change.name)?.secret
  if (secret !== undefined) return { ...change, secret }
  const msg = `Field required: there is no webhook ${change.name} to take the secret from`
  throw validationRefusal([{ loc: ['body', ...at, 'secret'], msg, type: 'missing' }])
}

const minSecretCharacters = 32

/** Warnings about a weak secret. The specification has no rule, so any secret is accepted. */
export function secretWarnings(secret: string): string[] {
  if (secret.length >= minSecretCharacters) return []
  return [`A webhook secret should have at least ${minSecretCharacters} characters: a shorter one can be guessed.`]
}

/** Delivery settings, in wall-clock milliseconds at any speed. */
export interface DeliverySettings {
  /** Timeout of a receiver's answer. Default 10,000. */
  timeoutMs?: number
  /** Wait before the first retry; doubles with each further one, with jitter. Default 1,000. */
  retryBaseMs?: number
  /** Max wait between two attempts. Default 60,000. */
  retryMaxMs?: number
  /** Max attempts of a delivery. Default 10. */
  maxAttempts?: number
  /** Max concurrent deliveries to one webhook, in no fixed order. Default 64. */
  inFlight?: number
  /** Max finished deliveries in the log, oldest dropped first. Default 20,000. */
  keep?: number
}

/** Defaults of `DeliverySettings`; the service's schedule is not documented (specification, Events). */
export const deliveryDefaults: Required<DeliverySettings> = {
  timeoutMs: 10_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  maxAttempts: 10,
  inFlight: 64,
  keep: 20_000,
}
