import type { Clock } from '../clock.ts'
import type { ChaosPreset, ChaosSettings } from './chaos/settings.ts'
import type { Quotas } from './access/limit-policies.ts'

/** Every event type that the sandbox can send (specification, Events). */
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
  /** Default true. */
  enabled?: boolean
  /** Puts the hex SHA-256 of the raw body into the JWT as `body_sha256`. Default false, as the service documents no claims. */
  bodyDigest?: boolean
}

/** A customer of the service. Its resources are invisible to all others. */
export interface OrganizationSettings {
  id: string
  /** Delegated (default): the service reviews and submits. Non-delegated: a PA passes through `awaiting_review`. */
  workflow?: 'delegated' | 'non_delegated'
  /** Non-delegated only: a PA waits in `awaiting_review` until `controls.review`. Default false: it is reviewed by itself after a while. */
  manualReview?: boolean
  /** Default true. False: every call is refused with `api_access_not_enabled` (specification, Authentication 5). */
  apiAccess?: boolean
  /** A pharmacy may ask for provider outreach. Default false. */
  pharmacy?: boolean
  /** PA creation is refused with `provider_not_authorized` until the provider has signed. Default false. */
  requiresProviderAuthorization?: boolean
  /** PAs that can be created within 24 hours of sandbox time. Default: no limit. */
  dailyPriorAuthLimit?: number
  /** Plans (rx_bin, payer_name and plan_name together) that PAs can name for the first time within 24 hours. Default: no limit. */
  dailyNewPlanLimit?: number
  /** Rate limits that are not the default ones, in units a window (specification, Limits). */
  quotas?: Partial<Quotas>
  webhooks?: readonly WebhookSettings[]
}

/** How webhooks are delivered, in wall-clock milliseconds whatever the speed. */
export interface DeliverySettings {
  /** Time that a receiver has to answer. Default 10,000. */
  timeoutMs?: number
  /** Wait before the first retry; doubles with each further one, with jitter. Default 1,000. */
  retryBaseMs?: number
  /** Longest wait between two attempts. Default 60,000. */
  retryMaxMs?: number
  /** Attempts before a delivery is given up. Default 10. */
  maxAttempts?: number
  /** Deliveries on the wire at once; there is no order among them. Default 64. */
  inFlight?: number
  /** Finished deliveries that the log keeps, oldest dropped first. Default 20,000. */
  keep?: number
}

export interface SandboxOptions {
  /** Sandbox time per wall time. 1 (default) takes realistic hours and days, 100,000 plays a day in about a second, 0 stands still and moves by `controls.step` alone. */
  speed?: number
  /** The same seed and the same requests give the same ids, delays and outcomes. Default: a new one each time, so that ids do not repeat. */
  seed?: number
  /** Wall clock that the sandbox clock is derived from. Default the system's. */
  clock?: Clock
  /** Default: one delegated organization, `org_demo`. The first is the default of every method that takes an organization. */
  organizations?: readonly OrganizationSettings[]
  /** `key` signs API tokens; default random, so that tokens end with the sandbox. */
  tokens?: { key?: string }
  webhooks?: DeliverySettings
  /** Chance, 0 to 1, that a PA takes a detour on its way. Defaults: 0.1 and 0.15. */
  detours?: { awaitingProviderResponse?: number; validatingOutcome?: number }
  /** File that keeps everything over a restart: an SQLite database, made when there is none. Default: memory alone. */
  data?: string
  /** Lets `file_url` lead to private, loopback and link-local addresses. Default false. */
  allowPrivateFileUrls?: boolean
  /** How a `file_url` is fetched, in wall-clock time. Defaults: 20 MiB, 10,000 ms. */
  files?: { maxBytes?: number; timeoutMs?: number }
  /** What goes wrong how often, on the sending and on the answering side. Default: what `data` keeps, else nothing. */
  chaos?: ChaosSettings | ChaosPreset
  /** Used for webhook deliveries. Default the global one. */
  fetch?: typeof fetch
}
