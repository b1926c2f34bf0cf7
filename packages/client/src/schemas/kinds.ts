import { z } from 'zod'
import { lenientOf } from './lenient.ts'
import {
  BenefitVerification,
  BenefitVerificationResource,
  terminalBenefitVerificationStatuses,
} from './benefit-verification.ts'
import {
  PriorAuthorization,
  PriorAuthorizationResource,
  terminalPriorAuthorizationStatuses,
} from './prior-authorization.ts'
import { ProviderOutreach, ProviderOutreachResource } from './provider-outreach.ts'
import type { ResourceKind } from './kind-of-resource.ts'

export type { ResourceKind } from './kind-of-resource.ts'

/** The kinds of resource that webhooks are about, each with its schema. */
export const schemas = {
  prior_authorization: PriorAuthorization,
  benefit_verification: BenefitVerification,
  provider_outreach: ProviderOutreach,
} as const satisfies Record<ResourceKind, z.ZodType>

/** The documented resource of each kind. */
export const documents = {
  prior_authorization: PriorAuthorizationResource,
  benefit_verification: BenefitVerificationResource,
  provider_outreach: ProviderOutreachResource,
} as const satisfies Record<ResourceKind, z.ZodType>

export type ResourceOfKind<K extends ResourceKind> = z.infer<(typeof schemas)[K]>
export type Resource = ResourceOfKind<ResourceKind>

const readings = new WeakMap<object, z.ZodSafeParseResult<Resource>>()

/** Reads a document of the service by the schema of its kind. Each document is read once and cached, so change neither it nor the result. */
export function readResource(kind: ResourceKind, document: unknown): z.ZodSafeParseResult<Resource> {
  if (typeof document !== 'object' || document === null) return schemas[kind].safeParse(document)
  const known = readings.get(document)
  if (known !== undefined) return known
  const read = schemas[kind].safeParse(document)
  readings.set(document, read)
  return read
}

/** The fields of all kinds of resources, each optional. */
const AnyDocument = lenientOf(
  z.union([
    documents.prior_authorization.partial(),
    documents.benefit_verification.partial(),
    documents.provider_outreach.partial(),
  ]),
)
export type AnyDocument = z.infer<typeof AnyDocument>

/** The fields of a document, even if it lacks the required ones of its kind. A first read without `kind` takes twice as long. */
export function readFields(document: unknown, kind?: ResourceKind): AnyDocument {
  if (typeof document !== 'object' || document === null) return {}
  const read = kind === undefined ? readings.get(document) : readResource(kind, document)
  // The compiler cannot see that the fields of one kind are among those of all.
  return (read?.data as AnyDocument | undefined) ?? AnyDocument.safeParse(document).data ?? {}
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
