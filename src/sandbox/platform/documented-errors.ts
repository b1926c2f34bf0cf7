import { codedRefusal, type Refusal } from './refusal.ts'

/**
 * Every documented `error.code` with its answer (specification, Status codes and codes; supplement, PA create).
 * Where the HTTP status is not stated: 400 for a fault of the request, 403 for a missing permission, 409 for a conflict with what exists,
 * 429 for an exhausted limit, 503 for a temporary condition.
 */
export const documentedErrors = {
  unauthorized: [401, 'Unauthorized', 'Send a valid API token as: Authorization: Bearer <token>.'],
  api_access_not_enabled: [403, 'API access not enabled', 'Programmatic API access is not enabled.'],
  not_found: [404, 'Not found', 'The resource does not exist.'],
  service_unavailable: [503, 'Service unavailable', 'The service is unavailable for a moment; try again shortly.'],
  unexpected_error: [500, 'Unexpected error', 'An internal error occurred; a retry may succeed.'],
  resource_busy: [503, 'Resource busy', 'The benefit verification is being processed; nothing was changed. Try again.'],
  unsupported_file_type: [400, 'Unsupported file type', 'An insurance card is in a format that cannot be read.'],
  previous_pa_request_in_progress: [
    409,
    'Previous request in progress',
    'The previous prior authorization request is still in progress.',
  ],
  invalid_qle_resubmission: [
    400,
    'Invalid quantity limit exception',
    'A quantity limit exception needs a previous request that was approved or not required.',
  ],
  appeal_not_allowed: [
    400,
    'Appeal not allowed',
    'The original request went through a Medicare GLP-1 bridge, which takes no appeals.',
  ],
  provider_outreach_not_supported: [
    400,
    'Provider outreach not supported',
    'Only pharmacy organizations can ask for provider outreach.',
  ],
  provider_outreach_fax_required: [400, 'Fax number required', 'Provider outreach needs provider.fax.'],
  invalid_npi: [400, 'Invalid NPI', 'The registry has no active provider with this NPI.'],
  provider_outreach_mock_result_conflict: [
    400,
    'Mock result conflict',
    'Provider outreach cannot be combined with mock_result.',
  ],
  daily_prior_auth_request_limit_reached: [
    429,
    'Daily limit reached',
    "The organization's daily number of prior authorization requests is used up.",
  ],
  daily_prior_auth_request_new_plan_limit_reached: [
    429,
    'Daily limit of new plans reached',
    "The organization's daily number of plans that it had not used before is used up.",
  ],
  unsupported_patient: [400, 'Unsupported patient', 'The service cannot work for this patient.'],
  unsupported_drug: [400, 'Unsupported drug', 'The service cannot work on this drug.'],
  insurance_card_member_id_ocr_failure: [
    400,
    'Member ID not readable',
    'The member ID could not be read from the insurance card.',
  ],
  insurance_content_invalid_rx_bin: [400, 'Invalid BIN', 'No payer has this rx_bin.'],
  prescription_message_not_found: [
    400,
    'Prescription message not found',
    'No prescription message with this id has arrived.',
  ],
  prescription_message_already_linked: [
    409,
    'Prescription message already linked',
    'Another prior authorization request has this prescription message.',
  ],
  provider_not_authorized: [403, 'Provider not authorized', 'The provider has not authorized the organization.'],
  evidence_file_download_failed: [400, 'Evidence not downloadable', 'A file_url of the evidence cannot be downloaded.'],
  PROVIDER_AUTHORIZATION_ALREADY_INITIATED: [
    409,
    'Authorization already initiated',
    'An authorization was already initiated for this NPI or e-mail address.',
  ],
  other: [400, 'Not possible', 'The request cannot be carried out.'],
} as const satisfies Record<string, readonly [httpStatus: number, title: string, description: string]>
export type ErrorCode = keyof typeof documentedErrors

/** Their answer carries `existing_prior_auth_request_id`, the conflicting PA (specification, Endpoint rules; supplement, PA create). */
export const codesNamingAnother: ReadonlySet<ErrorCode> = new Set([
  'previous_pa_request_in_progress',
  'prescription_message_already_linked',
])

/** The answer of a documented error, with extra keys where the specification has them. */
export function refuse(code: ErrorCode, extra: Record<string, unknown> = {}): Refusal {
  const [httpStatus, title, description] = documentedErrors[code]
  return codedRefusal(httpStatus, { title, description, code, ...extra })
}
