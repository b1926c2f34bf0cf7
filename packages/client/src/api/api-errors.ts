import { PawlError, type Retry } from '@pawl/base/errors'
import type { JsonUnbounded } from '@pawl/base/parse-json'
import { isDocumentedField, undocumented } from '../schemas/documented.ts'
import { isFaultType } from '../schemas/fault-types.ts'

/** The request that failed: method and normalized route, without any part of the answer that could hold patient data. */
export interface FailurePlace {
  method: string
  route: string
  httpStatus?: number | undefined
  /** The service's id for the request, if sent: quote it to the service's support. */
  requestId?: string | undefined
  /** The service's own words about the failure. */
  detail?: string | undefined
  /** As in `CallOptions`. */
  mayNotExist?: boolean | undefined
}

/** The kind of a request, by which refusals are grouped. */
export function requestOf({ method, route }: Pick<FailurePlace, 'method' | 'route'>): string {
  return `${method} ${route}`
}

/** Every failure of a call to the service. */
export abstract class ApiError extends PawlError {
  readonly method: string
  readonly route: string
  override readonly httpStatus: number | undefined
  readonly requestId: string | undefined
  override readonly retry: Retry
  override readonly request: string
  /** The service's own words, if sent. They may hold patient data, so they stay out of `message`, logs and JSON. */
  declare readonly detail: string | undefined

  constructor(place: FailurePlace, what: string, retry: Retry) {
    super(`${requestOf(place)}${place.httpStatus === undefined ? '' : ` (${place.httpStatus})`}: ${what}`)
    this.method = place.method
    this.route = place.route
    this.httpStatus = place.httpStatus
    this.requestId = place.requestId
    this.retry = retry
    this.request = requestOf(place)
    Object.defineProperty(this, 'detail', { value: place.detail, enumerable: false })
  }
}

/** One field at fault, with its path and the broken rule, never its value. The service chooses both freely: show only the output of `describeFault`. */
export interface Fault {
  loc: (string | number)[]
  type: string
  /** The rule in words, if pawl found the fault itself. */
  msg?: string
}

/** The rules named in a 422, in words (specification, Errors). */
const words: Readonly<Record<string, string>> = {
  missing: 'is required',
  extra_forbidden: 'is not a field of this request',
  string_too_short: 'must not be empty',
  too_short: 'must not be empty',
  greater_than: 'is too small',
  less_than: 'is too large',
  enum: 'must be one of the documented values',
  string_pattern_mismatch: 'does not have the documented form',
  string_type: 'must be text',
  int_type: 'must be a whole number',
  bool_type: 'must be true or false',
}

/** Documented field names and rules in words; `?` for any other. */
function describeFault({ loc, type, msg }: Fault): string {
  const path = loc.map((part) => (typeof part === 'number' || isDocumentedPart(part) ? part : undocumented))
  return `${path.join('.')}: ${msg ?? words[type] ?? (isFaultType(type) ? type : undocumented)}`
}

const isDocumentedPart = (part: string) => roots.has(part) || isDocumentedField(part)
/** First parts of a field's path; `id` is that of the URL. */
const roots: ReadonlySet<string> = new Set(['body', 'path', 'query', 'header', 'id'])

function listed(faults: readonly Fault[]): string {
  const shown = faults.slice(0, 10).map(describeFault)
  return shown.join('; ') + (faults.length > shown.length ? `; and ${faults.length - shown.length} more` : '')
}

/** The request breaks the interface's rules and was not sent. */
export class RequestInvalid extends ApiError {
  readonly code = 'request_invalid'
  readonly faults: readonly Fault[]
  constructor(place: FailurePlace, faults: readonly Fault[]) {
    super({ method: place.method, route: place.route }, `not sent; correct ${listed(faults)}`, 'never')
    this.faults = faults
  }
}

/** 422: the service refused fields of the request (specification, Errors). */
export class ValidationFailed extends ApiError {
  readonly code = 'validation_failed'
  /** As named by the service. They may hold patient data, so they stay out of `message`, logs and JSON. */
  declare readonly faults: readonly Fault[]
  constructor(place: FailurePlace, faults: readonly Fault[]) {
    super(place, `correct ${listed(faults)}`, 'never')
    Object.defineProperty(this, 'faults', { value: faults, enumerable: false })
  }
}

/** No answer came, and nothing was changed: the request was a GET, or was never sent. `reason` is `timeout` or a system code; `sent`: whether the service may have seen the request. */
export class ApiUnreachable extends ApiError {
  readonly code = 'api_unreachable'
  override readonly isOutage = true
  override readonly costsAttempt: boolean
  override readonly reason: string
  constructor(place: FailurePlace, reason: string, sent = true) {
    super(place, `no answer (${reason}); check the address of the service and the network`, 'backoff')
    this.reason = reason
    this.costsAttempt = sent
  }
}

/** A write was sent, and its outcome is unknown. Read the resource before sending it again. */
export class ApiOutcomeUnknown extends ApiError {
  readonly code = 'api_outcome_unknown'
  /** True for no answer, a cut answer, or 5xx; false for an answer of another shape, or a call that the caller aborted. */
  override readonly isOutage: boolean
  override readonly reason: string
  constructor(place: FailurePlace, reason: string, repeatable: boolean) {
    const advice = repeatable ? 'sending it again is harmless' : 'check whether it took effect before sending it again'
    super(place, `the outcome is unknown (${reason}); ${advice}`, repeatable ? 'backoff' : 'never')
    this.reason = reason
    this.isOutage = reason !== 'aborted' && !aboutResource.some((each) => reason === `answer ${each}`)
  }
}

export type Unreadable = 'cut' | 'empty' | 'not_json' | 'unexpected_shape' | JsonUnbounded['code']

/** Faults that may be limited to one resource. */
const aboutResource: readonly Unreadable[] = ['unexpected_shape', 'json_too_deep', 'json_too_many_values']

/** The body of the answer breaks the interface: cut short, empty, not JSON, of another shape, or too deep or large to parse. */
export class ApiAnswerUnreadable extends ApiError {
  readonly code = 'api_answer_unreadable'
  /** True for a cut or empty answer; an unexpected shape or size may be limited to this resource. */
  override readonly isOutage: boolean
  override readonly reason: Unreadable
  constructor(place: FailurePlace, reason: Unreadable) {
    super(place, `the answer cannot be read (${reason}); check that the address is the service's`, 'backoff')
    this.reason = reason
    this.isOutage = !aboutResource.includes(reason)
  }
}

/** The answer to a GET is about another resource than the requested `resourceId`. It is discarded. */
export class ApiAnswerMismatched extends ApiError {
  readonly code = 'api_answer_mismatched'
  readonly resourceId: string
  constructor(place: FailurePlace, resourceId: string) {
    super(place, `the answer is not about ${resourceId}; check any proxy between pawl and the service`, 'backoff')
    this.resourceId = resourceId
  }
}

/** The service is unavailable: 5xx, or `service_unavailable` (specification, Errors). */
export class ApiUnavailable extends ApiError {
  readonly code = 'api_unavailable'
  override readonly isOutage = true
  constructor(place: FailurePlace, retry: Retry) {
    super(place, 'the service is unavailable; try again shortly', retry)
  }
}

/** 401 or 403. A new token fixes it, so the work is retried instead of parked at once. */
export class ApiUnauthorized extends ApiError {
  readonly code = 'api_unauthorized'
  override readonly isOutage = true
  constructor(place: FailurePlace) {
    super(place, 'the token was refused; set a valid API_TOKEN', 'backoff')
  }
}

/** 404: the resource does not exist, or belongs to another organization (specification, Authentication 4). For a GET right after a webhook named the resource, the API may only lag behind. */
export class ApiNotFound extends ApiError {
  readonly code = 'api_not_found'
  override readonly mayBeOutage: boolean
  readonly resourceId: string | undefined
  constructor(place: FailurePlace, resourceId: string | undefined) {
    super(place, `${resourceId ?? 'the resource'} does not exist or is not visible to the organization`, 'never')
    this.mayBeOutage = place.mayNotExist !== true
    this.resourceId = resourceId
  }
}

/** 429: wait at least `retry.afterMs` (specification, Limits 5). */
export class RateLimited extends ApiError {
  readonly code = 'rate_limited'
  override readonly costsAttempt = false
  constructor(place: FailurePlace, retry: { afterMs: number }) {
    super(place, 'over a rate limit; wait before the next attempt', retry)
  }
}

/** Not sent: the known allowance has no room before `retry.afterMs` (specification, Limits). */
export class RateBudgetSpent extends ApiError {
  readonly code = 'rate_budget_spent'
  override readonly costsAttempt = false
  constructor(place: FailurePlace, retry: { afterMs: number }) {
    super({ method: place.method, route: place.route }, 'not sent; the rate limit has no room yet', retry)
  }
}
