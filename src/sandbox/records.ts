import type { BenefitVerificationPlan } from './benefit-verification/plan.ts'
import type { BenefitVerificationResource } from './benefit-verification/resource.ts'
import type { ClinicalQualificationResource } from './clinical-qualification/resource.ts'
import type { BenefitVerificationStatus } from './machine/benefit-verification.ts'
import type { ClinicalQualificationState } from './machine/clinical-qualification.ts'
import type { Progress } from './machine/machine.ts'
import type { TransferState } from './machine/prescription-transfer.ts'
import type { PriorAuthorizationStatus } from './machine/prior-authorization.ts'
import type { PriorAuthorizationPlan } from './prior-authorization/plan.ts'
import type { PriorAuthorizationResource } from './prior-authorization/resource.ts'

/** What the sandbox keeps of one resource: plain data, so that it can be stored as JSON and taken up again. */
interface Kept<Kind extends string, Resource, Plan> {
  kind: Kind
  id: string
  organization: string
  /** As GET returns it. */
  resource: Resource
  /** What chance and `mock_result` decided at creation. */
  plan: Plan
}

export interface PriorAuthorizationRecord extends Kept<
  'prior_authorization',
  PriorAuthorizationResource,
  PriorAuthorizationPlan
> {
  progress: Progress<PriorAuthorizationStatus>
  /** Present from the moment that the transfer begins. */
  transfer?: Progress<TransferState>
  /** What clients said for analytics: stored, never shown (specification, Endpoint rules). */
  cancellationReason?: string
  feedback: { category: string; message: string }[]
}

export interface BenefitVerificationRecord extends Kept<
  'benefit_verification',
  BenefitVerificationResource,
  BenefitVerificationPlan
> {
  progress: Progress<BenefitVerificationStatus>
}

export interface ClinicalQualificationRecord extends Kept<
  'clinical_qualification',
  ClinicalQualificationResource,
  { isEvidenced: boolean }
> {
  progress: Progress<ClinicalQualificationState>
}

/** An API token that is valid no more; the id is the token's own (`jti`). */
export interface RevokedTokenRecord {
  kind: 'revoked_token'
  id: string
  organization: string
}

/** Every kind of record, by its kind. */
export interface Records {
  revoked_token: RevokedTokenRecord
  prior_authorization: PriorAuthorizationRecord
  benefit_verification: BenefitVerificationRecord
  clinical_qualification: ClinicalQualificationRecord
}
export type RecordKind = keyof Records
