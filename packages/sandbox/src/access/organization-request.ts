import { z } from 'zod'
import { policyNames } from 'pawl-client/schemas/rate-policies'
import type { FromWire } from '../platform/wire.ts'
import { WebhookRequest, type WebhookSettings } from '../webhooks/settings.ts'

const flag = z.boolean().optional()
/** Null, or the default: no limit. */
const limit = z
  .int()
  .nonnegative()
  .nullable()
  .transform((number) => number ?? Infinity)
  .optional()

/** Units per window, by policy. */
export const QuotasRequest = z.partialRecord(z.enum(policyNames), z.int().nonnegative())

/** The settings of an organization, in the format of controls and config files. */
export const OrganizationRequest = z.strictObject({
  id: z.string().min(1).optional(),
  /** Delegated (default): the service reviews and submits. Non-delegated: a PA passes through `awaiting_review`. */
  workflow: z.enum(['delegated', 'non_delegated']).optional(),
  /** Non-delegated only: a PA waits in `awaiting_review` until `controls.review`. Default false: reviewed automatically after a while. */
  manual_review: flag,
  /** Default true. False: every call is refused with `api_access_not_enabled` (specification, Authentication 5). */
  api_access: flag,
  /** A pharmacy may request provider outreach. Default false. */
  pharmacy: flag,
  /** PA creation is refused with `provider_not_authorized` until the provider has signed. Default false. */
  requires_provider_authorization: flag,
  /** Max PAs created within 24 hours of sandbox time. */
  daily_prior_auth_limit: limit,
  /** Max new plans (by rx_bin, payer_name and plan_name) in PAs created within 24 hours. */
  daily_new_plan_limit: limit,
  /** Overrides of the default rate limits (specification, Limits). */
  quotas: QuotasRequest.optional(),
  webhooks: z.array(WebhookRequest).optional(),
})

/** Settings of an organization. Existing webhooks may omit their secrets. */
export type OrganizationChange = FromWire<Omit<z.infer<typeof OrganizationRequest>, 'id'>>

/** A customer of the service. Other organizations cannot see its resources. */
export type OrganizationSettings = Omit<OrganizationChange, 'webhooks'> & {
  id: string
  webhooks?: readonly WebhookSettings[]
}
