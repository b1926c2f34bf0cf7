import type { Retry } from '@pawl/base/errors'
import { undocumented } from '../schemas/documented.ts'
import { priorAuthorizationStatuses } from '../schemas/prior-authorization.ts'
import { ApiError, type FailurePlace } from './api-errors.ts'

/** Codes whose HTTP status is not documented (specification and supplement, Errors). */
export const codesOfAnyStatus: ReadonlySet<string> = new Set([
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
/** Other codes without a class of their own. */
const furtherCodes: ReadonlySet<string> = new Set([
  'invalid_qle_resubmission',
  'appeal_not_allowed',
  'unexpected_error',
])

const isRefusalCode = (code: string) => codesOfAnyStatus.has(code) || furtherCodes.has(code)
/** For an answer without a code. */
const isStatusCode = (code: string) => /^http_\d{3}$/.test(code)

/** A refusal without a class of its own; `code` is the service's (specification, Errors), or `api_refused` if undocumented. */
export class ApiRefused extends ApiError {
  readonly code: string
  readonly #undocumented: string | undefined
  constructor(place: FailurePlace, code: string) {
    const isShown = isRefusalCode(code) || isStatusCode(code)
    super(place, `refused with ${isShown ? code : undocumented}`, 'never')
    this.code = isShown ? code : 'api_refused'
    this.#undocumented = isShown ? undefined : code
  }

  /** The service's code if undocumented. It may be any text, so only the ledger stores it, sealed. */
  undocumentedCode(): string | undefined {
    return this.#undocumented
  }
}

/** 400 with `{detail}`: the resource's current state forbids it, such as a cancel of a terminal PA (specification, Endpoint rules). `status` is as named by the service. */
export class NotAllowedInState extends ApiError {
  readonly code = 'not_allowed_in_state'
  readonly status: string | undefined
  constructor(place: FailurePlace) {
    const status = statusIn(place.detail)
    const state = status === undefined ? 'the current state of the resource' : `its status ${status}`
    super(place, `${state} forbids it; read the resource, and error.detail for the service's words`, 'never')
    this.status = status
  }
}

const statuses: ReadonlySet<string> = new Set([...priorAuthorizationStatuses, 'in_progress', 'error'])

/** The documented status named in a sentence, as in "with status completed" and "is in completed state". */
function statusIn(detail = ''): string | undefined {
  return [...detail.matchAll(/\b(?:status|in)\b\W*(\w+)/g)]
    .map(([, word = '']) => word)
    .find((word) => statuses.has(word))
}

/** 503 `resource_busy`: nothing was applied, and a retry is safe (specification, Endpoint rules). */
export class ResourceBusy extends ApiError {
  readonly code = 'resource_busy'
  constructor(place: FailurePlace, retry: Retry) {
    super(place, 'the resource is locked by other processing; try again', retry)
  }
}

/** 409: the previous PA is still running; `existingPriorAuthRequestId` is its id, if sent. */
export class PreviousRequestInProgress extends ApiError {
  readonly code = 'previous_request_in_progress'
  readonly existingPriorAuthRequestId: string | undefined
  constructor(place: FailurePlace, existing: string | undefined) {
    super(place, `the previous PA ${existing ?? ''} is still running; wait for it or cancel it first`, 'never')
    this.existingPriorAuthRequestId = existing
  }
}

/** 409: the prescription message belongs to another PA; `existingPriorAuthRequestId` is its id, if sent (supplement, PA create). */
export class PrescriptionAlreadyLinked extends ApiError {
  readonly code = 'prescription_already_linked'
  readonly existingPriorAuthRequestId: string | undefined
  constructor(place: FailurePlace, existing: string | undefined) {
    super(place, `the prescription message already belongs to the PA ${existing ?? ''}; follow that one`, 'never')
    this.existingPriorAuthRequestId = existing
  }
}

/** The organization's daily limit of PA creations is used up; nothing was created. `limit` is the service's code. */
export class DailyLimitReached extends ApiError {
  readonly code = 'daily_limit_reached'
  readonly limit: string
  constructor(place: FailurePlace, limit: string, retry: Retry) {
    super(place, `refused with ${limit}; create it again after the daily window resets`, retry)
    this.limit = limit
  }
}

/** An authorization for this NPI or e-mail was already started, and there can be only one (specification, POST /provider/authorize). */
export class ProviderAuthorizationAlreadyInitiated extends ApiError {
  readonly code = 'provider_authorization_already_initiated'
  constructor(place: FailurePlace) {
    super(place, 'an authorization for this NPI or e-mail was already started; wait for the provider to sign', 'never')
  }
}

/** The provider has not authorized the organization; `authorizeProvider` starts it (supplement, PA create). */
export class ProviderNotAuthorized extends ApiError {
  readonly code = 'provider_not_authorized'
  constructor(place: FailurePlace) {
    super(place, 'the provider has not authorized the organization; call authorizeProvider', 'never')
  }
}

/** The organization has no programmatic access (specification, Authentication 5). The service's support can enable it, so the work is retried. */
export class ApiAccessNotEnabled extends ApiError {
  readonly code = 'api_access_not_enabled'
  constructor(place: FailurePlace) {
    super(place, 'the organization has no API access; have the support of the service enable it', 'backoff')
  }
}
