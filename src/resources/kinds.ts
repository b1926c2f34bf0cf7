import type { z } from 'zod'
import { BenefitVerification, terminalBenefitVerificationStatuses } from './benefit-verification.ts'
import { PriorAuthorization, terminalPriorAuthorizationStatuses } from './prior-authorization.ts'
import { ProviderOutreach } from './provider-outreach.ts'

/** The kinds of resource that webhooks are about, each with its schema. */
export const schemas = {
  prior_authorization: PriorAuthorization,
  benefit_verification: BenefitVerification,
  provider_outreach: ProviderOutreach,
} as const satisfies Record<string, z.ZodType>

export type ResourceKind = keyof typeof schemas
export type ResourceOfKind<K extends ResourceKind> = z.infer<(typeof schemas)[K]>
export type Resource = ResourceOfKind<ResourceKind>

const terminalStatuses: Record<ResourceKind, readonly string[]> = {
  prior_authorization: terminalPriorAuthorizationStatuses,
  benefit_verification: terminalBenefitVerificationStatuses,
  provider_outreach: [],
}

/** Whether a status ends the resource's life. An unknown status never does (docs/design.md, rule 7). */
export function isTerminal(kind: ResourceKind, status: string | undefined): boolean {
  return status !== undefined && terminalStatuses[kind].includes(status)
}
