import * as answers from './answer-examples.ts'
import * as requests from './request-examples.ts'
import type { AnswerName, RequestName } from './schemas.ts'

/** Texts of one operation, besides its path and codes. */
export interface OperationText {
  tag: string
  summary: string
  description?: string
  body?: { schema: RequestName; examples: Record<string, unknown> }
  success: {
    status: 200 | 201 | 204
    /** `data` of the envelope, if any. */
    data?: AnswerName
    /** Answer without envelope: this, or a list of it. */
    bare?: AnswerName
    isList?: true
    /** Fields besides `status`. */
    example?: unknown
  }
  /** `detail` of the answers 400 and 404 (specification, Error body shapes). */
  detail?: { 400?: string; 404?: string }
}

const noPa = 'Prior authorization request does not exist.'

/** All operations, by names such as `POST /prior-authorization/{id}/cancel`. */
export const operationTexts: Record<string, OperationText> = {
  'GET /status': {
    tag: 'Status',
    summary: 'Reports whether the API is operational',
    success: { status: 200, data: 'ServiceStatus', example: answers.serviceStatus },
  },
  'POST /benefit-verification': {
    tag: 'Benefit verification',
    summary: 'Creates a benefit verification',
    description:
      'The whole request is accepted or rejected. The result is reported by webhook and by GET. Each drug counts as one unit of the drug limits.',
    body: { schema: 'BenefitVerificationRequest', examples: { two_drugs: requests.benefitVerification } },
    success: { status: 200, data: 'Created', example: { id: answers.ids.benefitVerification } },
  },
  'GET /benefit-verification/{id}': {
    tag: 'Benefit verification',
    summary: 'Reads a benefit verification',
    success: { status: 200, data: 'BenefitVerification', example: answers.completedBenefitVerification },
  },
  'POST /benefit-verification/{id}/cancel': {
    tag: 'Benefit verification',
    summary: 'Cancels a benefit verification',
    description: 'After `resource_busy` nothing was changed, and the request is safe to retry.',
    success: { status: 204 },
  },
  'POST /clinical-qualification': {
    tag: 'Clinical qualification',
    summary: 'Creates a clinical qualification',
    body: { schema: 'ClinicalQualificationRequest', examples: { one_drug: requests.clinicalQualification } },
    success: { status: 200, data: 'Created', example: { id: answers.ids.clinicalQualification } },
  },
  'GET /clinical-qualification/{id}': {
    tag: 'Clinical qualification',
    summary: 'Reads a clinical qualification',
    success: { status: 200, data: 'ClinicalQualification', example: answers.evaluatedClinicalQualification },
  },
  'POST /prior-authorization': {
    tag: 'Prior authorization',
    summary: 'Creates a prior authorization request',
    description:
      'With provider outreach the answer includes its initial outcome. `resubmission_info.note` is required unless `appeal_details` is there.',
    body: {
      schema: 'PriorAuthorizationRequest',
      examples: { by_name: requests.priorAuthorization, by_ndc: requests.codedPriorAuthorization },
    },
    success: { status: 200, data: 'CreatedPriorAuthorization', example: { id: answers.ids.priorAuthorization } },
  },
  'GET /prior-authorization/{id}': {
    tag: 'Prior authorization',
    summary: 'Reads a prior authorization',
    success: { status: 200, data: 'PriorAuthorization', example: answers.approvedPriorAuthorization },
    detail: { 404: noPa },
  },
  'POST /prior-authorization/{id}/cancel': {
    tag: 'Prior authorization',
    summary: 'Cancels a prior authorization in progress',
    body: {
      schema: 'PriorAuthorizationCancelRequest',
      examples: { drug_changed: requests.priorAuthorizationCancel },
    },
    success: { status: 200 },
    detail: { 400: 'Prior authorization request with status completed cannot be cancelled.', 404: noPa },
  },
  'POST /prior-authorization/{id}/feedback': {
    tag: 'Prior authorization',
    summary: 'Stores feedback',
    body: { schema: 'FeedbackRequest', examples: { praise: requests.feedback } },
    success: { status: 201 },
    detail: { 404: noPa },
  },
  'PATCH /prior-authorization/{id}/ndp-submission': {
    tag: 'Prescription transfer',
    summary: 'Changes the preferred dispensing pharmacy',
    description: 'Only while the prior authorization is in progress, and before the first transfer attempt.',
    body: { schema: 'NdpSubmissionUpdateRequest', examples: { other_pharmacy: requests.ndpSubmissionUpdate } },
    success: { status: 200, data: 'NdpSubmissionUpdate', example: requests.ndpSubmissionUpdate },
    detail: { 400: 'Prior authorization request with status completed cannot be updated.', 404: noPa },
  },
  'POST /prior-authorization/{id}/prescription-transfer/cancel': {
    tag: 'Prescription transfer',
    summary: 'Cancels the prescription transfer',
    success: { status: 200 },
    detail: { 400: 'Prescription transfer is in completed state and cannot be cancelled.', 404: noPa },
  },
  'POST /provider/authorize': {
    tag: 'Provider',
    summary: 'Starts the authorization of a provider',
    description: 'One per NPI or e-mail address.',
    body: { schema: 'ProviderAuthorizationRequest', examples: { one_provider: requests.providerAuthorization } },
    success: { status: 200 },
  },
  'GET /authorized-providers': {
    tag: 'Provider',
    summary: 'Lists the providers who have signed',
    success: {
      status: 200,
      bare: 'AuthorizedProvider',
      isList: true,
      example: [answers.authorizedProvider],
    },
  },
  'POST /provider/lookup': {
    tag: 'Provider',
    summary: 'Looks a provider up in the registry',
    body: {
      schema: 'ProviderLookupRequest',
      examples: { by_number: requests.lookupByNumber, by_name: requests.lookupByName },
    },
    success: {
      status: 200,
      bare: 'ProviderLookup',
      example: answers.foundProviders,
    },
  },
  'POST /enrollment/patient-enrollment': {
    tag: 'Patient enrollment',
    summary: 'Submits a patient enrollment',
    description: 'The service has a separate host for it; here that is the path prefix `/enrollment`.',
    body: { schema: 'PatientEnrollmentRequest', examples: { one_patient: requests.patientEnrollment } },
    success: { status: 200, data: 'Created', example: { id: answers.ids.enrollment } },
  },
  'POST /pa-status': {
    tag: 'PA status check',
    summary: 'Starts a status check',
    body: { schema: 'PaStatusRequest', examples: { one_drug: requests.paStatus } },
    success: { status: 200, data: 'Created', example: { id: answers.ids.paStatus } },
  },
  'GET /pa-status/{id}': {
    tag: 'PA status check',
    summary: 'Reads a status check',
    success: {
      status: 200,
      data: 'PaStatusCheck',
      example: answers.completedPaStatus,
    },
  },
}
