import type { ErrorCode } from 'pawl-client/schemas/documented-errors'

/** One endpoint of the service, as the sandbox serves it. */
export interface Operation {
  method: 'GET' | 'POST' | 'PATCH'
  /** With `{id}` for any id. */
  route: string
  /** Codes in addition to `commonErrors`. */
  errors: readonly ErrorCode[]
  /** Announced only, subject to change (specification, Endpoint rules). */
  unreleased?: true
}

/** Codes that every operation can answer with. */
export const commonErrors = ['unauthorized', 'api_access_not_enabled', 'service_unavailable'] as const

/** All endpoints (specification, Endpoints; supplement, Other endpoints). Enrollment has a separate host; here it has a path prefix instead. */
export const operations: readonly Operation[] = [
  { method: 'GET', route: '/status', errors: [] },
  {
    method: 'POST',
    route: '/benefit-verification',
    errors: ['not_found', 'unsupported_file_type', 'unexpected_error', 'other'],
  },
  { method: 'GET', route: '/benefit-verification/{id}', errors: ['not_found', 'unexpected_error'] },
  {
    method: 'POST',
    route: '/benefit-verification/{id}/cancel',
    errors: ['not_found', 'unexpected_error', 'resource_busy'],
  },
  { method: 'POST', route: '/clinical-qualification', errors: ['other'] },
  { method: 'GET', route: '/clinical-qualification/{id}', errors: ['not_found'] },
  {
    method: 'POST',
    route: '/prior-authorization',
    errors: [
      'not_found',
      'unsupported_patient',
      'unsupported_drug',
      'other',
      'previous_pa_request_in_progress',
      'invalid_qle_resubmission',
      'appeal_not_allowed',
      'provider_outreach_not_supported',
      'provider_outreach_fax_required',
      'invalid_npi',
      'provider_outreach_mock_result_conflict',
      'daily_prior_auth_request_limit_reached',
      'daily_prior_auth_request_new_plan_limit_reached',
      'insurance_card_member_id_ocr_failure',
      'insurance_content_invalid_rx_bin',
      'prescription_message_not_found',
      'prescription_message_already_linked',
      'provider_not_authorized',
      'evidence_file_download_failed',
    ],
  },
  { method: 'GET', route: '/prior-authorization/{id}', errors: [] },
  { method: 'POST', route: '/prior-authorization/{id}/cancel', errors: [] },
  { method: 'POST', route: '/prior-authorization/{id}/feedback', errors: [] },
  { method: 'PATCH', route: '/prior-authorization/{id}/ndp-submission', errors: [] },
  { method: 'POST', route: '/prior-authorization/{id}/prescription-transfer/cancel', errors: [] },
  { method: 'POST', route: '/provider/authorize', errors: ['PROVIDER_AUTHORIZATION_ALREADY_INITIATED', 'other'] },
  { method: 'POST', route: '/provider/lookup', errors: [] },
  { method: 'GET', route: '/authorized-providers', errors: [] },
  { method: 'POST', route: '/enrollment/patient-enrollment', errors: ['other'] },
  { method: 'POST', route: '/pa-status', errors: ['other'], unreleased: true },
  { method: 'GET', route: '/pa-status/{id}', errors: ['not_found'], unreleased: true },
]

const matchers = operations.map((operation) => ({
  operation,
  pattern: new RegExp(`^${operation.route.replaceAll('{id}', '[^/]+')}$`),
}))

/** The operation of a request; undefined for an unknown path or method. Paths match exactly, case and slashes included; HEAD counts as GET. */
export function findOperation(method: string, path: string): Operation | undefined {
  const wanted = method === 'HEAD' ? 'GET' : method
  return matchers.find(({ operation, pattern }) => operation.method === wanted && pattern.test(path))?.operation
}

/** Name of an operation in controls and policies, such as `POST /prior-authorization/{id}/cancel`. */
export function nameOf({ method, route }: Pick<Operation, 'method' | 'route'>): string {
  return `${method} ${route}`
}
