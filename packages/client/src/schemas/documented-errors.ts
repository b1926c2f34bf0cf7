import { z } from 'zod'
import { lenientOf } from './lenient.ts'
import { keysOf, saidIn } from './said.ts'
import { essential } from './shape.ts'

/**
 * Every documented `error.code` with its answer (specification, Status codes and codes; supplement, PA create).
 * If the HTTP status is not stated: 400 for a fault of the request, 403 for a missing permission, 409 for a conflict with existing data,
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

/** Codes whose answer carries `existing_prior_auth_request_id`, the id of the conflicting PA (specification, Endpoint rules; supplement, PA create). */
export const codesNamingAnother: ReadonlySet<ErrorCode> = new Set([
  'previous_pa_request_in_progress',
  'prescription_message_already_linked',
])

const said = saidIn('specification, Error body shapes')

/** `{status: "error", error: {…}}` with a documented code, and the extra keys of the specification (specification, Errors, Error body shapes). */
export const CodedError = z.strictObject({
  status: z.literal('error').meta(said('Distinguishes failure from success.')),
  error: essential(
    z
      .looseObject({
        title: z.string().meta(said('The error in a few words.', { examples: ['Not found'] })),
        description: z
          .string()
          .meta(said('The error in a sentence for people.', { examples: ['The resource does not exist.'] })),
        code: essential(
          z
            .enum(['rate_limit_exceeded', ...keysOf(documentedErrors)])
            .meta(said('The error for programs. Further codes can come.')),
        ),
        existing_prior_auth_request_id: z
          .string()
          .optional()
          .meta(
            said('Id of the conflicting PA; only with the codes that name one.', {
              examples: ['pa_req_a1b2c3d4e5f6g7h8i9j0'],
            }),
          ),
      })
      .meta(said('The error.')),
  ),
})

/** `{detail}`: PA cancel, NDP update, transfer cancel, feedback. */
export const DetailError = z.strictObject({
  detail: essential(
    z
      .string()
      .meta(said('The error in a sentence for people.', { examples: ['Prior authorization request does not exist.'] })),
  ),
})

/** Every fault of a request at once, with 422. */
export const ValidationError = z.strictObject({
  detail: essential(
    z
      .array(
        z.strictObject({
          loc: essential(
            z
              .array(z.union([z.string(), z.number()]))
              .meta(said('Path of the fault: `body`, then field names and list positions.')),
          ),
          msg: z.string().meta(said('The fault in words for people.', { examples: ['Field required'] })),
          type: z.string().meta(said('The kind of fault, for programs.', { examples: ['missing'] })),
        }),
      )
      .meta(said('Every fault of the request at once.')),
  ),
})

/** One field of a request at fault. */
export type Fault = z.infer<typeof ValidationError>['detail'][number]

/** The three shapes, read leniently: a code may be new, and texts may be absent. */
export const CodedBody = lenientOf(CodedError)
export const DetailBody = lenientOf(DetailError)
export const ValidationBody = lenientOf(ValidationError)

/** A fault in one line. */
export function faultText({ loc, msg = '' }: { loc: Readonly<Fault['loc']>; msg?: string | undefined }): string {
  return `${loc.join('.')}: ${msg}`
}

/** The words for people of an error body in any of the three shapes; undefined for another body. */
export function errorText(body: unknown): string | undefined {
  const coded = CodedBody.safeParse(body).data?.error
  const detail = DetailBody.safeParse(body).data?.detail
  const faults = ValidationBody.safeParse(body).data?.detail.map(faultText)
  return coded?.description ?? coded?.title ?? detail ?? faults?.join('; ')
}
