import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { ClinicalQualification } from 'pawl-client/schemas/clinical-qualification'
import type { PriorAuthorization } from 'pawl-client/schemas/prior-authorization'
import type { PatientEnrollmentRequest } from 'pawl-client/schemas/patient-enrollment'
import type { PaStatusResource } from 'pawl-client/schemas/pa-status'
import type { ProviderAuthorizationRecord } from './provider/record.ts'
import type { ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'
import type { ResourceKinds } from './resource-kinds.ts'

/** All resources of all organizations as GET or an event shows them, oldest first, except that file URLs are unsigned paths. */
export interface Truth {
  prior_authorizations: PriorAuthorization[]
  benefit_verifications: BenefitVerification[]
  clinical_qualifications: ClinicalQualification[]
  pa_statuses: PaStatusResource[]
  provider_outreaches: ProviderOutreachResource[]
  /** `signed_at` is null until the provider has signed. */
  provider_authorizations: ProviderAuthorizationRecord['resource'][]
  patient_enrollments: (PatientEnrollmentRequest & { id: string })[]
}

export function readTruth(kinds: ResourceKinds): Truth {
  const truth = {
    prior_authorizations: kinds.priorAuthorizations.list(),
    benefit_verifications: kinds.benefitVerifications.list(),
    clinical_qualifications: kinds.clinicalQualifications.list(),
    pa_statuses: kinds.paStatusChecks.list(),
    provider_outreaches: kinds.outreaches.listAll(),
    provider_authorizations: kinds.providerAuthorizations.list(),
    patient_enrollments: kinds.patientEnrollments.list(),
  }
  // The compiler cannot see that the resources fit the lenient schemas; the JSON round trip gives what GET returns.
  return JSON.parse(JSON.stringify(truth)) as Truth
}
