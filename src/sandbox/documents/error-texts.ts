import type { ErrorCode } from '../../service/schemas/errors.ts'

/** What the caller does about each error code. */
export const remedies: Record<ErrorCode | 'rate_limit_exceeded', string> = {
  unauthorized:
    'Send `Authorization: Bearer` with a token of the organization; here `POST /_sandbox/tokens` gives one.',
  api_access_not_enabled: 'Ask support to enable the API for the organization. A retry does not help.',
  not_found: 'Check the id, and whether the token is of the organization that owns it. A retry does not help.',
  service_unavailable: 'Retry after a few seconds, each time waiting longer.',
  unexpected_error: 'Retry after a few seconds, each time waiting longer; tell support if it goes on.',
  resource_busy: 'Retry after a second: nothing was changed.',
  unsupported_file_type: 'Send the card as JPEG, PNG, TIFF, BMP, HEIC or a PDF of one page.',
  previous_pa_request_in_progress:
    'Wait until the PA in `error.existing_prior_auth_request_id` is terminal, or cancel it; then send the request again.',
  invalid_qle_resubmission:
    'Leave out `quantity_limit_exception_reason`, or name a PA that was approved or was not required.',
  appeal_not_allowed: 'Create a new PA without `appeal_details`.',
  provider_outreach_not_supported: 'Leave out `provider_outreach`; only organizations that are pharmacies have it.',
  provider_outreach_fax_required: 'Add `provider.fax`.',
  invalid_npi: 'Correct `provider.npi`; `POST /provider/lookup` finds the right one.',
  provider_outreach_mock_result_conflict: 'Leave out either `mock_result` or `provider_outreach`.',
  daily_prior_auth_request_limit_reached: 'Send the request again the next day, or ask support for a higher limit.',
  daily_prior_auth_request_new_plan_limit_reached:
    'Send the request again the next day; requests for plans that were used before still go through.',
  unsupported_patient: 'Handle this patient outside the service. A retry does not help.',
  unsupported_drug: 'Handle this drug outside the service. A retry does not help.',
  insurance_card_member_id_ocr_failure: 'Send a better picture of the card, or `insurance_content.member_number`.',
  insurance_content_invalid_rx_bin: 'Correct `insurance_content.rx_bin`, or leave it out.',
  prescription_message_not_found:
    'Check `ndp_submission.prescription_message_id`; if the message was sent just now, retry after a minute.',
  prescription_message_already_linked:
    'Go on with the PA in `error.existing_prior_auth_request_id`: a prescription message has one PA.',
  provider_not_authorized: 'Start with `POST /provider/authorize`, and wait until the provider has signed.',
  evidence_file_download_failed:
    'Check that `file_url` can be downloaded without a sign-in, or send the file as `file_content`.',
  PROVIDER_AUTHORIZATION_ALREADY_INITIATED:
    'Nothing: the provider was already asked. `GET /authorized-providers` shows whether they have signed.',
  other: 'Read `error.description`; a retry of the same request does not help.',
  rate_limit_exceeded: 'Wait as many seconds as `Retry-After` says, and add a random time on top.',
}

/** What the caller does about an error without a code. */
export const uncodedRemedies = {
  DetailError: 'Read `detail`. The id is wrong (404), or the PA is past the point where this can be done (400).',
  ValidationError: 'Correct every field that `detail` names, then send the request again.',
} as const
