import fc from 'fast-check'
import type { z } from 'zod'
import { BenefitVerificationRequest } from '../../../client/src/schemas/benefit-verification.ts'
import { ClinicalQualificationRequest } from '../../../client/src/schemas/clinical-qualification.ts'
import { PaStatusRequest } from '../../../client/src/schemas/pa-status.ts'
import { PatientEnrollmentRequest } from '../../../client/src/schemas/patient-enrollment.ts'
import {
  FeedbackRequest,
  NdpSubmissionUpdateRequest,
  PriorAuthorizationCancelRequest,
  PriorAuthorizationRequest,
} from '../../../client/src/schemas/prior-authorization-request.ts'
import { ProviderAuthorizationRequest, ProviderLookupRequest } from '../../../client/src/schemas/provider.ts'
import { arbitraryOf, type Overrides } from './arbitrary-of.ts'

/** Resources that exist before the first call. */
export interface ExistingResources {
  /** An approved PA, for requests that follow one. */
  endedId: string
  cancelledVerificationId: string
  /** A PA that runs and has an NDP submission. */
  runningId: string
  fileUrl: string
  /** Creates a PA that runs. */
  newId(): Promise<string>
}

/** An endpoint with a body. */
export interface Endpoint {
  name: string
  method: 'POST' | 'PATCH'
  schema: z.ZodType
  path(world: ExistingResources): string | Promise<string>
  overrides?(world: ExistingResources): Overrides
  /** Meets the documented rules that no schema states. */
  fit?(request: unknown): unknown
}

let last = 0
/** No two requests may name the same prescription or provider. */
const unique = () => `${++last}`

/** Every endpoint with a body. */
export const endpoints: readonly Endpoint[] = [
  {
    name: 'POST /benefit-verification',
    method: 'POST',
    schema: BenefitVerificationRequest,
    path: () => '/benefit-verification',
    overrides: ({ cancelledVerificationId }) => ({ replaces: fc.constant(cancelledVerificationId) }),
  },
  {
    name: 'POST /clinical-qualification',
    method: 'POST',
    schema: ClinicalQualificationRequest,
    path: () => '/clinical-qualification',
  },
  {
    name: 'POST /prior-authorization',
    method: 'POST',
    schema: PriorAuthorizationRequest,
    path: () => '/prior-authorization',
    overrides: ({ endedId, fileUrl }) => ({
      'resubmission_info.previous_prior_auth_request_id': fc.constant(endedId),
      'evidence.asset.file_url': fc.constant(fileUrl),
      'appeal_details.appeal_letter.asset.file_url': fc.constant(fileUrl),
    }),
    fit: (valid) => fitPriorAuthorization(PriorAuthorizationRequest.parse(valid)),
  },
  {
    name: 'POST /prior-authorization/{id}/cancel',
    method: 'POST',
    schema: PriorAuthorizationCancelRequest,
    path: async (world) => `/prior-authorization/${await world.newId()}/cancel`,
  },
  {
    name: 'POST /prior-authorization/{id}/feedback',
    method: 'POST',
    schema: FeedbackRequest,
    path: ({ endedId }) => `/prior-authorization/${endedId}/feedback`,
  },
  {
    name: 'PATCH /prior-authorization/{id}/ndp-submission',
    method: 'PATCH',
    schema: NdpSubmissionUpdateRequest,
    path: ({ runningId }) => `/prior-authorization/${runningId}/ndp-submission`,
  },
  {
    name: 'POST /provider/authorize',
    method: 'POST',
    schema: ProviderAuthorizationRequest,
    path: () => '/provider/authorize',
    fit: (valid) => {
      const { email, ...request } = ProviderAuthorizationRequest.parse(valid)
      const npi = unique()
      return { ...request, npi, ...(email !== undefined && { email: `${npi}${email}` }) }
    },
  },
  { name: 'POST /provider/lookup', method: 'POST', schema: ProviderLookupRequest, path: () => '/provider/lookup' },
  {
    name: 'POST /patient-enrollment',
    method: 'POST',
    schema: PatientEnrollmentRequest,
    path: () => '/enrollment/patient-enrollment',
  },
  { name: 'POST /pa-status', method: 'POST', schema: PaStatusRequest, path: () => '/pa-status' },
]

/** Any request that the schema of an endpoint allows, as it goes over the wire. */
export function requestsTo({ schema, overrides, fit = (valid) => valid }: Endpoint, world: ExistingResources) {
  return arbitraryOf(schema, overrides?.(world)).map((request) => fit(JSON.parse(JSON.stringify(request))))
}

function fitPriorAuthorization(request: PriorAuthorizationRequest): PriorAuthorizationRequest {
  const fitted = structuredClone(request)
  if (fitted.ndp_submission !== undefined) fitted.ndp_submission.prescription_message_id += unique()
  if (fitted.resubmission_info === undefined) delete fitted.quantity_limit_exception_reason
  if (fitted.provider_outreach?.enabled === true) {
    fitted.provider = { ...fitted.provider, fax: '555-0100', npi: '1234567893' }
    delete fitted.mock_result
  }
  return fitted
}
