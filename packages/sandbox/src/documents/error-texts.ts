import type { ErrorCode } from 'pawl-client/schemas/documented-errors'

/** Remedies by error code. */
export const remedies: Record<ErrorCode | 'rate_limit_exceeded', string> = {
  unauthorized:
    'Send `Authorization: Bearer` with a token of the organization; here `POST /_sandbox/tokens` gives one.',
  api_access_not_enabled: 'Ask support to enable the API for the organization. A retry does not help.',
  not_found: 'Check the id, and that the token belongs to the organization that owns it. A retry does not help.',
  service_unavailable: 'Retry after a few seconds, with backoff.',
  unexpected_error: 'Retry after a few seconds, with backoff; tell support if it persists.',
  resource_busy: 'Retry after a second: nothing was changed.',
  unsupported_file_type: 'Send the card as JPEG, PNG, TIFF, BMP, HEIC or a PDF of one page.',
  previous_pa_request_in_progress:
    'Wait until the PA in `error.existing_prior_auth_request_id` is terminal, or cancel it; then send the request again.',
  invalid_qle_resubmission:
    'Leave out `quantity_limit_exception_reason`, or name a PA that was approved or not required.',
  appeal_not_allowed: 'Create a new PA without `appeal_details`.',
  provider_outreach_not_supported: 'Leave out `provider_outreach`; only pharmacies have it.',
  provider_outreach_fax_required: 'Add `provider.fax`.',
  invalid_npi: 'Correct `provider.npi`; find it with `POST /provider/lookup`.',
  provider_outreach_mock_result_conflict: 'Leave out either `mock_result` or `provider_outreach`.',
  daily_prior_auth_request_limit_reached: 'Send the request again the next day, or ask support for a higher limit.',
  daily_prior_auth_request_new_plan_limit_reached:
    'Send the request again the next day; requests for plans used before still pass.',
  unsupported_patient: 'Handle this patient outside the service. A retry does not help.',
  unsupported_drug: 'Handle this drug outside the service. A retry does not help.',
  insurance_card_member_id_ocr_failure: 'Send a better picture of the card, or `insurance_content.member_number`.',
  insurance_content_invalid_rx_bin: 'Correct `insurance_content.rx_bin`, or leave it out.',
  prescription_message_not_found:
    'Check `ndp_submission.prescription_message_id`; if the message is new, retry after a minute.',
  prescription_message_already_linked:
    'Continue with the PA in `error.existing_prior_auth_request_id`: a prescription message has one PA.',
  provider_not_authorized: 'Start with `POST /provider/authorize`, and wait until the provider has signed.',
  evidence_file_download_failed:
    'Check that `file_url` can be downloaded without signing in, or send the file as `file_content`.',
  PROVIDER_AUTHORIZATION_ALREADY_INITIATED:
    'Nothing: the authorization was already initiated. `GET /authorized-providers` shows whether they have signed.',
  other: 'Read `error.description`; a retry of the same request does not help.',
  rate_limit_exceeded: 'Wait for the seconds in `Retry-After`, plus jitter.',
}

/** Remedies for errors without a code. */
export const uncodedRemedies = {
  DetailError: 'Read `detail`. The id is wrong (404), or the status of the PA no longer allows this (400).',
  ValidationError: 'Correct every field that `detail` names, then send the request again.',
} as const
