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

const readings = new WeakMap<object, z.ZodSafeParseResult<Resource>>()

/** How a document of the service reads by the schema of its kind. Each is read once, whoever asks: neither it nor what comes of it is to be changed. */
export function readResource(kind: ResourceKind, document: unknown): z.ZodSafeParseResult<Resource> {
  if (typeof document !== 'object' || document === null) return schemas[kind].safeParse(document)
  const known = readings.get(document)
  if (known !== undefined) return known
  const read = schemas[kind].safeParse(document)
  readings.set(document, read)
  return read
}

const terminalStatuses: Record<ResourceKind, readonly string[]> = {
  prior_authorization: terminalPriorAuthorizationStatuses,
  benefit_verification: terminalBenefitVerificationStatuses,
  provider_outreach: [],
}

/** Whether a status ends the resource's life. An unknown status never does (docs/design.md, rule 7). */
export function isTerminal(kind: ResourceKind, status: string | undefined): boolean {
  return status !== undefined && terminalStatuses[kind].includes(status)
}
