import { type ApiError, type FailurePlace, ApiNotFound, ApiUnavailable, RateLimited } from './api-errors.ts'
import {
  ApiAccessNotEnabled,
  ApiRefused,
  codesOfAnyStatus,
  DailyLimitReached,
  PrescriptionAlreadyLinked,
  PreviousRequestInProgress,
  ProviderAuthorizationAlreadyInitiated,
  ProviderNotAuthorized,
  ResourceBusy,
} from './refusals.ts'

interface Refusal {
  code: string
  /** The conflicting PA, if the answer names one. */
  existing: string | undefined
  resourceId: string | undefined
  hasRetryAfter: boolean
  retryAfter: (fallbackMs: number) => { afterMs: number }
}

const hourMs = 3_600_000

/** The error for a documented `error.code` (specification and supplement, Errors); undefined if the HTTP status is enough. */
export function readRefusal(place: FailurePlace & { httpStatus: number }, refusal: Refusal): ApiError | undefined {
  const { code, existing, hasRetryAfter, retryAfter } = refusal
  switch (code) {
    case 'not_found':
      return new ApiNotFound(place, refusal.resourceId)
    case 'rate_limit_exceeded':
      return new RateLimited(place, retryAfter(1000))
    case 'resource_busy':
      return new ResourceBusy(place, hasRetryAfter ? retryAfter(0) : 'backoff')
    case 'service_unavailable':
      return new ApiUnavailable(place, hasRetryAfter ? retryAfter(0) : 'backoff')
    case 'api_access_not_enabled':
      return new ApiAccessNotEnabled(place)
    case 'previous_pa_request_in_progress':
      return new PreviousRequestInProgress(place, idOf(existing))
    case 'prescription_message_already_linked':
      return new PrescriptionAlreadyLinked(place, idOf(existing))
    case 'daily_prior_auth_request_limit_reached':
    case 'daily_prior_auth_request_new_plan_limit_reached':
      return new DailyLimitReached(place, code, retryAfter(hourMs))
    case 'PROVIDER_AUTHORIZATION_ALREADY_INITIATED':
      return new ProviderAuthorizationAlreadyInitiated(place)
    case 'provider_not_authorized':
      return new ProviderNotAuthorized(place)
    default:
      return isGeneral(code, place.httpStatus, refusal.resourceId) ? new ApiRefused(place, code) : undefined
  }
}

/** Whether the refusal needs its code as an explanation; 401, 403, 429, 5xx and a resource's 404 do not. */
function isGeneral(code: string, status: number, resourceId: string | undefined): boolean {
  if (codesOfAnyStatus.has(code) && status !== 401) return status < 500
  if (status === 404) return resourceId === undefined
  return status < 500 && ![401, 403, 429].includes(status)
}

function idOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w-]{1,128}$/.test(text) ? text : undefined
}
