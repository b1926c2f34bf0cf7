import type { Retry } from '../errors.ts'
import { ApiError, type FailurePlace } from './errors.ts'

/** A refusal with a documented code that has no class of its own; `code` is the service's (specification, Errors). */
export class ApiRefused extends ApiError {
  readonly code: string
  constructor(place: FailurePlace, code: string) {
    super(place, `refused with ${code}`, 'never')
    this.code = code
  }
}

/** 400 with `{detail}`: the resource's current state forbids it, such as a cancel of a terminal PA (specification, Endpoint rules). */
export class NotAllowedInState extends ApiError {
  readonly code = 'not_allowed_in_state'
  constructor(place: FailurePlace) {
    super(place, 'the current state of the resource forbids it; read the resource', 'never')
  }
}

/** 503 `resource_busy`: nothing was applied, and a retry is safe (specification, Endpoint rules). */
export class ResourceBusy extends ApiError {
  readonly code = 'resource_busy'
  constructor(place: FailurePlace, retry: Retry) {
    super(place, 'the resource is locked by other processing; try again', retry)
  }
}

/** 409: the previous PA is still running; `existingPriorAuthRequestId` is its id where the service gives it. */
export class PreviousRequestInProgress extends ApiError {
  readonly code = 'previous_request_in_progress'
  readonly existingPriorAuthRequestId: string | undefined
  constructor(place: FailurePlace, existing: string | undefined) {
    super(place, `the previous PA ${existing ?? ''} is still running; wait for it or cancel it first`, 'never')
    this.existingPriorAuthRequestId = existing
  }
}

/** 409: the prescription message belongs to another PA; `existingPriorAuthRequestId` is its id where the service gives it (supplement, PA create). */
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
    super(place, `refused with ${limit}; create it once the day's window has moved on`, retry)
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
