import type { BenefitVerifications } from './benefit-verification/benefit-verifications.ts'
import type { SandboxClock } from './platform/clock.ts'
import type { ChaosDial, SendingFault } from './chaos/settings.ts'
import type { DeliveryLog } from './webhooks/delivery-log.ts'
import type { Failures, PlannedFailure } from './access/forced-failures.ts'
import type { OrganizationSettings, SandboxEventType, WebhookSettings } from './options.ts'
import type { Organizations } from './access/organizations.ts'
import type { Activity } from './prior-authorization/resource.ts'
import type { ProviderOutreaches } from './provider-outreach/provider-outreaches.ts'
import type { ProviderOutreachResource } from './provider-outreach/resource.ts'
import { createPlatformControls, type PlatformControls } from './platform/controls.ts'
import type { PriorAuthorizations } from './prior-authorization/prior-authorizations.ts'
import type { ProviderAuthorizations } from './provider/provider-authorizations.ts'
import type { Schedule } from './platform/schedule.ts'
import type { Tokens } from './access/tokens.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** One attempt to deliver: the receiver's HTTP status, or why there was none. */
export interface DeliveryAttempt {
  /** Wall-clock time, ISO 8601. */
  at: string
  durationMs: number
  status?: number
  error?: string
}

/** One entry of the delivery log. */
export interface Delivery {
  id: number
  webhook: string
  organization: string
  /** One of `eventTypes`, unless chaos made one up. */
  eventType: string
  resourceId: string
  /** What chaos did to it, or that chaos sent it at all. */
  chaos?: SendingFault[]
  /** The delivery that this one repeats. */
  copyOf?: number
  state: 'pending' | 'delivered' | 'given_up'
  attempts: DeliveryAttempt[]
  /** The exact text that goes over the wire, attempt after attempt. */
  body: string
}

export interface NewMessage {
  content: string
  /** `sent` by the client's team (default: `received`, from the service's team). */
  direction?: 'sent' | 'received'
  sentByName?: string
  /** Marks the thread as resolved. */
  isResolution?: boolean
}

export interface NewActivity {
  type: Activity['type']
  /** Of a `follow_up_call`. */
  notes?: string
}

/** What a PA is given instead of the planned outcome. */
export interface PushedOutcome {
  result: 'Approved' | 'Denied' | 'Not Submitted' | 'Other'
  detail_code?: string
}

/** The strings of the puppet. What cannot be done throws `Refusal`, whose message names what can. */
export interface Controls extends PlatformControls {
  /** Adds or replaces an organization; its webhooks are replaced too where they are given. */
  putOrganization(settings: OrganizationSettings): void
  /** Adds or replaces the organization's webhook of that name. */
  putWebhook(settings: WebhookSettings, organization?: string): void
  /** Ends an API token at once; false when it was not valid anyway. */
  revokeToken(token: string): Promise<boolean>
  /** Answers the next call of an operation with one of its documented errors; without `organization` for the first one. */
  failNext(failure: PlannedFailure & { organization?: string }): void
  /** Lets a provider sign at once, whose authorization was initiated. */
  signProvider(npi: string, organization?: string): void
  /** Adds a message to the PA's thread, emits `prior_authorization.message`, and returns the message's id. */
  addMessage(priorAuthorizationId: string, message: NewMessage): string
  /** Adds an entry to the PA's activity log, emits `prior_authorization.activity_log_updated`, and returns the entry's id. */
  addActivity(priorAuthorizationId: string, activity: NewActivity): string
  /** Moves the PA's prescription transfer to a legal next state at once; its states are those of the table, `confirmed` for example. */
  pushTransfer(priorAuthorizationId: string, state: string): void
  /** Completes the PA's real-time benefits check at once. */
  pushBenefitsCheck(priorAuthorizationId: string): void
  /** The outreach attempts of a PA, as their events show them. */
  outreach(priorAuthorizationId: string): ProviderOutreachResource[]
  /** Moves a PA, a BV or an outreach attempt to a legal next status at once; a PA in `validating_outcome` can be given another outcome where it is. */
  push(id: string, status: string, options?: { outcome?: PushedOutcome }): void
  /** The review step of the non-delegated workflow: `awaiting_review` to `awaiting_outcome`. */
  review(priorAuthorizationId: string): void
  /** Cancels a PA or BV as its endpoint does. */
  cancel(id: string): void
  /** Moves sandbox time to the next scheduled transition and runs it; the resource's id, or undefined when nothing is scheduled. */
  step(): string | undefined
  /** The delivery log, oldest first. */
  deliveries(filter?: { resourceId?: string; eventType?: SandboxEventType }): readonly Delivery[]
  /** Sends the same bytes to the same webhook again, after `afterMs` wall-clock milliseconds (default 0); the new delivery's id. */
  redeliver(deliveryId: number, options?: { afterMs?: number }): number
  /** Sends the resource's oldest delivery again, which by now is stale; refused while there is no newer one. */
  redeliverStale(resourceId: string, options?: { afterMs?: number }): number
}

/** Makes the controls over the parts of the sandbox. */
export function createControls(deps: {
  organizations: Organizations
  priorAuthorizations: PriorAuthorizations
  benefitVerifications: BenefitVerifications
  providerAuthorizations: ProviderAuthorizations
  outreaches: ProviderOutreaches
  tokens: Tokens
  failures: Failures
  chaos: ChaosDial
  clock: SandboxClock
  webhooks: Webhooks
  log: DeliveryLog
  schedule: Schedule
}): Controls {
  const { organizations, priorAuthorizations, benefitVerifications, webhooks, log, schedule } = deps
  return {
    revokeToken: deps.tokens.revoke,
    failNext: ({ organization, ...failure }) => deps.failures.plan(organizations.get(organization).id, failure),
    putOrganization: organizations.put,
    putWebhook: organizations.putWebhook,
    ...createPlatformControls(deps),
    signProvider: (npi, organization) => deps.providerAuthorizations.sign(organizations.get(organization), npi),
    addMessage: (id, message) => priorAuthorizations.addMessage(priorAuthorizations.get(id), message),
    addActivity: (id, { type, notes }) => priorAuthorizations.addActivity(priorAuthorizations.get(id), type, notes),
    pushTransfer: (id, state) => priorAuthorizations.pushTransfer(priorAuthorizations.get(id), state),
    pushBenefitsCheck: (id) => priorAuthorizations.pushBenefitsCheck(priorAuthorizations.get(id)),
    outreach: (id) => deps.outreaches.list(priorAuthorizations.get(id)),
    push: (id, status, { outcome } = {}) => {
      if (deps.outreaches.has(id)) deps.outreaches.push(id, status)
      else if (benefitVerifications.has(id)) benefitVerifications.push(benefitVerifications.get(id), status)
      else priorAuthorizations.push(priorAuthorizations.get(id), status, outcome)
    },
    review: (id) => priorAuthorizations.review(priorAuthorizations.get(id)),
    cancel: (id) => {
      if (benefitVerifications.has(id)) benefitVerifications.cancel(benefitVerifications.get(id))
      else priorAuthorizations.cancel(priorAuthorizations.get(id), 'cancelled by a control')
    },
    // A key is machine/id.
    step: () => schedule.step()?.split('/')[1],
    deliveries: (filter) => log.list(filter),
    redeliver: (deliveryId, { afterMs } = {}) => webhooks.redeliver(deliveryId, afterMs),
    redeliverStale: (resourceId, { afterMs } = {}) => webhooks.redeliverStale(resourceId, afterMs),
  }
}
