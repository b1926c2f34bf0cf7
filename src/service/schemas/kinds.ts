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

/** The kinds of resource that webhooks are about, each with its schema. */
export const schemas = {
  prior_authorization: PriorAuthorization,
  benefit_verification: BenefitVerification,
  provider_outreach: ProviderOutreach,
} as const satisfies Record<string, z.ZodType>

export type ResourceKind = keyof typeof schemas

/** What the service is documented to show of each kind. */
export const documents = {
  prior_authorization: PriorAuthorizationResource,
  benefit_verification: BenefitVerificationResource,
  provider_outreach: ProviderOutreachResource,
} as const satisfies Record<ResourceKind, z.ZodType>

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

/** What any kind of resource may show; nothing of it need be there. */
const AnyDocument = lenientOf(
  z.union([
    documents.prior_authorization.partial(),
    documents.benefit_verification.partial(),
    documents.provider_outreach.partial(),
  ]),
)
export type AnyDocument = z.infer<typeof AnyDocument>

/** The fields of a document, also of one that lacks what its kind is relied on to have. A document whose kind is not given, and that was not read before, takes twice as long. */
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
