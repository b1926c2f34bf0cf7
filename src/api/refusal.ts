import type { ApiError, FailurePlace } from './errors.ts'
import { ApiNotFound, ApiUnavailable, RateLimited } from './errors.ts'
import {
  ApiAccessNotEnabled,
  ApiRefused,
  DailyLimitReached,
  PrescriptionAlreadyLinked,
  PreviousRequestInProgress,
  ProviderAuthorizationAlreadyInitiated,
  ProviderNotAuthorized,
  ResourceBusy,
} from './refusals.ts'

interface Refusal {
  code: string
  /** The PA that stands in the way, where the answer named one. */
  existing: string | undefined
  resourceId: string | undefined
  /** The answer has a `Retry-After`. */
  isTold: boolean
  waitMs: (fallbackMs: number) => { afterMs: number }
}

const anHourMs = 3_600_000

/** The class for a documented `error.code` (specification and supplement, Errors); undefined where the HTTP status says all that is known. */
export function refusalOf(place: FailurePlace & { httpStatus: number }, refusal: Refusal): ApiError | undefined {
  const { code, existing, isTold, waitMs } = refusal
  switch (code) {
    case 'not_found':
      return new ApiNotFound(place, refusal.resourceId)
    case 'rate_limit_exceeded':
      return new RateLimited(place, waitMs(1000))
    case 'resource_busy':
      return new ResourceBusy(place, isTold ? waitMs(0) : 'backoff')
    case 'service_unavailable':
      return new ApiUnavailable(place, isTold ? waitMs(0) : 'backoff')
    case 'api_access_not_enabled':
      return new ApiAccessNotEnabled(place)
    case 'previous_pa_request_in_progress':
      return new PreviousRequestInProgress(place, idOf(existing))
    case 'prescription_message_already_linked':
      return new PrescriptionAlreadyLinked(place, idOf(existing))
    case 'daily_prior_auth_request_limit_reached':
    case 'daily_prior_auth_request_new_plan_limit_reached':
      return new DailyLimitReached(place, code, waitMs(anHourMs))
    case 'PROVIDER_AUTHORIZATION_ALREADY_INITIATED':
      return new ProviderAuthorizationAlreadyInitiated(place)
    case 'provider_not_authorized':
      return new ProviderNotAuthorized(place)
    default:
      return isGeneral(code, place.httpStatus, refusal.resourceId) ? new ApiRefused(place, nameOf(code)) : undefined
  }
}

/** Codes that come with an HTTP status which is not stated: a 403 of theirs is not about the token, a 429 not about a rate. */
const ofAnyStatus: ReadonlySet<string> = new Set([
  'provider_outreach_not_supported',
  'provider_outreach_fax_required',
  'provider_outreach_mock_result_conflict',
  'invalid_npi',
  'unsupported_file_type',
  'unsupported_patient',
  'unsupported_drug',
  'insurance_card_member_id_ocr_failure',
  'insurance_content_invalid_rx_bin',
  'prescription_message_not_found',
  'evidence_file_download_failed',
  'other',
])

/** A refusal that only its code explains: 401, 403, 429, 5xx and the 404 of a resource say what to do by themselves. */
function isGeneral(code: string, status: number, resourceId: string | undefined): boolean {
  if (ofAnyStatus.has(code) && status !== 401) return status < 500
  if (status === 404) return resourceId === undefined
  return status < 500 && ![401, 403, 429].includes(status)
}

/** A code that looks like one; anything else might be a sentence about a patient. */
function nameOf(code: string): string {
  return /^[A-Za-z]\w{0,79}$/.test(code) ? code : 'api_refused'
}

function idOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w-]{1,128}$/.test(text) ? text : undefined
}
