import type { PaStatusRequest } from '../resources/requests/pa-status.ts'
import type { PatientEnrollmentRequest } from '../resources/requests/patient-enrollment.ts'
import type { ProviderAuthorizationRequest } from '../resources/requests/provider.ts'
import type { BenefitVerificationPlan } from './benefit-verification/script.ts'
import type { BenefitVerificationResource } from './benefit-verification/resource.ts'
import type { ClinicalQualificationResource } from './clinical-qualification/resource.ts'
import type { BenefitsCheckState } from './prior-authorization/benefits-check-states.ts'
import type { BenefitVerificationStatus } from './benefit-verification/states.ts'
import type { ClinicalQualificationState } from './clinical-qualification/states.ts'
import type { Progress } from './platform/machine.ts'
import type { PaStatusState } from './pa-status/states.ts'
import type { TransferState } from './prior-authorization/transfer-states.ts'
import type { PriorAuthorizationStatus } from './prior-authorization/states.ts'
import type { OutreachState } from './provider-outreach/states.ts'
import type { ProviderOutreachResource } from './provider-outreach/resource.ts'
import type { ProviderAuthorizationState } from './provider/states.ts'
import type { FoundPriorAuthorization } from './pa-status/found.ts'
import type { PriorAuthorizationPlan } from './prior-authorization/script.ts'
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
  /** Present where the prescription lies with the service: the real-time benefits check. */
  benefitsCheck?: Progress<BenefitsCheckState>
  /** Present where provider outreach was asked for. */
  outreach?: { sequenceId: string; attempts: string[] }
  /** Sandbox time, ms since 1970. */
  createdAt: number
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

export interface ProviderAuthorizationRecord {
  kind: 'provider_authorization'
  id: string
  organization: string
  /** As GET /authorized-providers lists it, once it is signed. */
  resource: ProviderAuthorizationRequest & { signed_at: string | null }
  progress: Progress<ProviderAuthorizationState>
}

/** A PA status check; unreleased. */
export interface PaStatusRecord extends Kept<
  'pa_status',
  {
    id: string
    object: 'pa_status'
    status: PaStatusState
    failure_reason: string | null
    effective_processing_method: 'instant' | 'standard'
    /** Null until completed; empty: none found. */
    prior_authorizations: FoundPriorAuthorization[] | null
  },
  { request: PaStatusRequest }
> {
  progress: Progress<PaStatusState>
}

export interface PatientEnrollmentRecord {
  kind: 'patient_enrollment'
  id: string
  organization: string
  resource: PatientEnrollmentRequest
}

export interface ProviderOutreachRecord extends Kept<
  'provider_outreach',
  ProviderOutreachResource,
  { to: string; cannotBeSent: boolean; isAnswered: boolean }
> {
  progress: Progress<OutreachState>
}

/** Which PA a prescription message belongs to. */
export interface PrescriptionMessageRecord {
  kind: 'prescription_message'
  id: string
  organization: string
  priorAuthorizationId: string
}

/** An API token that is valid no more; the id is the token's own (`jti`). */
export interface RevokedTokenRecord {
  kind: 'revoked_token'
  id: string
  organization: string
}

/** Every kind of record, by its kind. */
export interface Records {
  provider_authorization: ProviderAuthorizationRecord
  pa_status: PaStatusRecord
  patient_enrollment: PatientEnrollmentRecord
  provider_outreach: ProviderOutreachRecord
  prescription_message: PrescriptionMessageRecord
  revoked_token: RevokedTokenRecord
  prior_authorization: PriorAuthorizationRecord
  benefit_verification: BenefitVerificationRecord
  clinical_qualification: ClinicalQualificationRecord
}
export type RecordKind = keyof Records
