import { PawlError, type Retry } from '../../base/errors.ts'
import type { JsonUnbounded } from '../../base/parse-json.ts'
import { isDocumentedField, undocumented } from '../schemas/documented.ts'
import { isFaultType } from '../schemas/fault-types.ts'

/** Where a failure happened: method and normalized route, and nothing from the answer that could hold patient data. */
export interface FailurePlace {
  method: string
  route: string
  httpStatus?: number | undefined
  /** The service's id for the request, where it sent one: quote it to the service's support. */
  requestId?: string | undefined
  /** The service's own words about the failure. */
  detail?: string | undefined
}

/** The kind of a request, by which refusals are told apart. */
export function requestOf({ method, route }: Pick<FailurePlace, 'method' | 'route'>): string {
  return `${method} ${route}`
}

/** Every failure of a call to the service. */
export abstract class ApiError extends PawlError {
  readonly method: string
  readonly route: string
  readonly httpStatus: number | undefined
  readonly requestId: string | undefined
  override readonly retry: Retry
  override readonly request: string
  /** The service's own words, where it sent any. They may hold patient data, so neither `message`, logs nor JSON have them. */
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

/** One field at fault: where it is and which rule it broke; never its value. The service chooses both freely: show none that `describeFault` does not. */
export interface Fault {
  loc: (string | number)[]
  type: string
  /** The rule in words, where pawl found the fault itself. */
  msg?: string
}

/** What the rules of the interface are called in a 422, in words (specification, Errors). */
const words: Readonly<Record<string, string>> = {
  missing: 'is required',
  extra_forbidden: 'is no field of this request',
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

/** Names of fields that the interface documents, and its rules in words; `?` for any other. */
function describeFault({ loc, type, msg }: Fault): string {
  const path = loc.map((part) => (typeof part === 'number' || isDocumentedPart(part) ? part : undocumented))
  return `${path.join('.')}: ${msg ?? words[type] ?? (isFaultType(type) ? type : undocumented)}`
}

const isDocumentedPart = (part: string) => roots.has(part) || isDocumentedField(part)
/** Where a request has its fields; `id` is that of the path. */
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
  /** As the service named them, which may hold patient data: neither `message`, logs nor JSON have them. */
  declare readonly faults: readonly Fault[]
  constructor(place: FailurePlace, faults: readonly Fault[]) {
    super(place, `correct ${listed(faults)}`, 'never')
    Object.defineProperty(this, 'faults', { value: faults, enumerable: false })
  }
}

/** No answer came, and nothing was done: the request was a GET, or never left. `reason` is `timeout` or a system code. */
export class ApiUnreachable extends ApiError {
  readonly code = 'api_unreachable'
  override readonly isOutage = true
  readonly reason: string
  constructor(place: FailurePlace, reason: string) {
    super(place, `no answer (${reason}); check the address of the service and the network`, 'backoff')
    this.reason = reason
  }
}

/** A write was sent, and whether it was carried out is not known. Read the resource before sending it again. */
export class ApiOutcomeUnknown extends ApiError {
  readonly code = 'api_outcome_unknown'
  /** No answer, half of one, or 5xx means that the service has a problem; an answer of another shape, or a call that the caller ended, does not. */
  override readonly isOutage: boolean
  readonly reason: string
  constructor(place: FailurePlace, reason: string, repeatable: boolean) {
    const advice = repeatable
      ? 'sending it again is harmless'
      : 'check whether it was carried out before sending it again'
    super(place, `the outcome is unknown (${reason}); ${advice}`, repeatable ? 'backoff' : 'never')
    this.reason = reason
    this.isOutage = reason !== 'aborted' && !aboutResource.some((each) => reason === `answer ${each}`)
  }
}

export type Unreadable = 'cut' | 'empty' | 'not_json' | 'unexpected_shape' | JsonUnbounded['code']

/** What may be limited to one resource. */
const aboutResource: readonly Unreadable[] = ['unexpected_shape', 'json_too_deep', 'json_too_many_values']

/** The body of the answer is not what the interface promises: cut short, empty, not JSON, of another shape, or too deep or large to be parsed. */
export class ApiAnswerUnreadable extends ApiError {
  readonly code = 'api_answer_unreadable'
  /** A cut or empty answer means that the service has a problem; an unexpected shape or size may be limited to this resource. */
  override readonly isOutage: boolean
  readonly reason: Unreadable
  constructor(place: FailurePlace, reason: Unreadable) {
    super(place, `the answer cannot be read (${reason}); check that the address is the service's`, 'backoff')
    this.reason = reason
    this.isOutage = !aboutResource.includes(reason)
  }
}

/** The answer to a GET is about another resource than `resourceId`, the one asked for. None of it is used. */
export class ApiAnswerMismatched extends ApiError {
  readonly code = 'api_answer_mismatched'
  readonly resourceId: string
  constructor(place: FailurePlace, resourceId: string) {
    super(place, `the answer is not about ${resourceId}; check what is between pawl and the service`, 'backoff')
    this.resourceId = resourceId
  }
}

/** The service has a problem: 5xx, or `service_unavailable` (specification, Errors). */
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

/** 404: the resource does not exist, or belongs to another organization (specification, Authentication 4). Where `method` is GET and a webhook has just named the resource, the API may only lag behind it. */
export class ApiNotFound extends ApiError {
  readonly code = 'api_not_found'
  override readonly mayBeOutage = true
  readonly resourceId: string | undefined
  constructor(place: FailurePlace, resourceId: string | undefined) {
    super(place, `${resourceId ?? 'the resource'} does not exist or is not visible to the organization`, 'never')
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
