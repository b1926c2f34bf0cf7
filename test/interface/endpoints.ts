import type { z } from 'zod'
import type { Api } from '../../packages/client/src/api/client.ts'
import { BenefitVerificationRequest } from '../../packages/client/src/schemas/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../packages/client/src/schemas/clinical-qualification.ts'
import { PaStatusRequest } from '../../packages/client/src/schemas/pa-status.ts'
import { PatientEnrollmentRequest } from '../../packages/client/src/schemas/patient-enrollment.ts'
import {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from '../../packages/client/src/schemas/prior-authorization-request.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from '../../packages/client/src/schemas/provider.ts'

/** One endpoint of the two documents: the schema of its body, and the method of the client that calls it. */
export interface Endpoint {
  operation: string
  schema?: z.ZodType
  call: (api: Api, body: never, id: string) => Promise<unknown>
}

/** Every endpoint of both documents (specification, Endpoints; supplement, Other endpoints). */
export const endpoints: readonly Endpoint[] = [
  { operation: 'GET /status', call: (api) => api.getStatus() },
  {
    operation: 'POST /benefit-verification',
    schema: BenefitVerificationRequest,
    call: (api, body) => api.createBenefitVerification(body),
  },
  { operation: 'GET /benefit-verification/{id}', call: (api, _, id) => api.getBenefitVerification(id) },
  { operation: 'POST /benefit-verification/{id}/cancel', call: (api, _, id) => api.cancelBenefitVerification(id) },
  {
    operation: 'POST /clinical-qualification',
    schema: ClinicalQualificationRequest,
    call: (api, body) => api.createClinicalQualification(body),
  },
  { operation: 'GET /clinical-qualification/{id}', call: (api, _, id) => api.getClinicalQualification(id) },
  {
    operation: 'POST /prior-authorization',
    schema: PriorAuthorizationRequest,
    call: (api, body) => api.createPriorAuthorization(body),
  },
  { operation: 'GET /prior-authorization/{id}', call: (api, _, id) => api.getPriorAuthorization(id) },
  {
    operation: 'POST /prior-authorization/{id}/cancel',
    schema: PriorAuthorizationCancelRequest,
    call: (api, { cancellation_reason }: PriorAuthorizationCancelRequest, id) =>
      api.cancelPriorAuthorization(id, cancellation_reason),
  },
  {
    operation: 'POST /prior-authorization/{id}/feedback',
    schema: FeedbackRequest,
    call: (api, body, id) => api.sendFeedback(id, body),
  },
  {
    operation: 'PATCH /prior-authorization/{id}/ndp-submission',
    schema: NdpSubmissionUpdateRequest,
    call: (api, { preferred_pharmacy_ncpdp_id }: NdpSubmissionUpdateRequest, id) =>
      api.updatePreferredPharmacy(id, preferred_pharmacy_ncpdp_id),
  },
  {
    operation: 'POST /prior-authorization/{id}/prescription-transfer/cancel',
    call: (api, _, id) => api.cancelPrescriptionTransfer(id),
  },
  {
    operation: 'POST /provider/authorize',
    schema: ProviderAuthorizationRequest,
    call: (api, body) => api.authorizeProvider(body),
  },
  { operation: 'GET /authorized-providers', call: (api) => api.getAuthorizedProviders() },
  {
    operation: 'POST /provider/lookup',
    schema: ProviderLookupRequest,
    call: (api, body) => api.lookUpProvider(body),
  },
  {
    operation: 'POST /patient-enrollment',
    schema: PatientEnrollmentRequest,
    call: (api, body) => api.enrollPatient(body),
  },
  { operation: 'POST /pa-status', schema: PaStatusRequest, call: (api, body) => api.createPaStatusCheck(body) },
  { operation: 'GET /pa-status/{id}', call: (api, _, id) => api.getPaStatusCheck(id) },
]

/** The endpoint of a fixture. */
export function endpointOf(operation: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.operation === operation)
  if (found === undefined) throw new Error(`${operation} is no endpoint of the documents`)
  return found
}
