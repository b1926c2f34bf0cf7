import { validationRefusal } from '../platform/refusal.ts'

/** Every event type that the sandbox sends (specification, Events). */
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

/** One webhook as the admin panel of the service would hold it (specification, Events). */
export interface WebhookSettings {
  name: string
  url: string
  /** Signs the `X-Webhook-Secret` JWT (HS256). */
  secret: string
  /** `all` (default) leaves out the types that the service enables only on request: activity log and provider outreach. */
  events?: 'all' | readonly SandboxEventType[]
  /** Default true. While false nothing is sent, retries of earlier deliveries included. */
  enabled?: boolean
  /** Puts the hex SHA-256 of the raw body into the JWT as `body_sha256`. Default false, as the service documents no claims. */
  bodyDigest?: boolean
}

/** A webhook whose secret may be left out where it replaces one of the same name. */
export type WebhookChange = Omit<WebhookSettings, 'secret'> & { secret?: string }

/** A webhook as a control shows it: all but its secret. */
export type ShownWebhook = Required<Omit<WebhookSettings, 'secret'>>

/** The webhook without its secret, defaults filled in. */
export function shownWebhook({ secret: _secret, ...webhook }: WebhookSettings): ShownWebhook {
  return { events: 'all', enabled: true, bodyDigest: false, ...webhook }
}

/** The webhook with its own secret, else with that of the one it replaces; throws `Refusal` 422 where there is none. */
export function withSecret(
  change: WebhookChange,
  kept: ReadonlyMap<string, WebhookSettings>,
  at: readonly string[] = [],
): WebhookSettings {
  const secret = change.secret ?? kept.get(change.name)?.secret
  if (secret !== undefined) return { ...change, secret }
  const msg = `Field required: there is no webhook ${change.name} whose secret could stay`
  throw validationRefusal([{ loc: ['body', ...at, 'secret'], msg, type: 'missing' }])
}

const minSecretCharacters = 32

/** What is unwise about a secret. The specification puts no rule on it, so any is accepted. */
export function secretWarnings(secret: string): string[] {
  if (secret.length >= minSecretCharacters) return []
  return [`A webhook secret should have at least ${minSecretCharacters} characters: a shorter one can be guessed.`]
}

/** How webhooks are delivered, in wall-clock milliseconds at any speed. */
export interface DeliverySettings {
  /** Time that a receiver has to answer. Default 10,000. */
  timeoutMs?: number
  /** Wait before the first retry; doubles with each further one, with jitter. Default 1,000. */
  retryBaseMs?: number
  /** Max wait between two attempts. Default 60,000. */
  retryMaxMs?: number
  /** Attempts before a delivery is given up. Default 10. */
  maxAttempts?: number
  /** Max concurrent deliveries to one webhook; there is no order among them. Default 64. */
  inFlight?: number
  /** Finished deliveries that the log keeps, oldest dropped first. Default 20,000. */
  keep?: number
}

/** The defaults of `DeliverySettings` (specification, Events: the schedule is not shown). */
export const deliveryDefaults: Required<DeliverySettings> = {
  timeoutMs: 10_000,
  retryBaseMs: 1_000,
  retryMaxMs: 60_000,
  maxAttempts: 10,
  inFlight: 64,
  keep: 20_000,
}
