import type { z } from 'zod'
import type { HeaderReader } from '@pawl/base/net/fetch'
import { JsonUnbounded, parseBounded } from '@pawl/base/parse-json'
import { CodedBody, DetailBody, errorText, ValidationBody } from '../schemas/documented-errors.ts'
import {
  ApiAnswerUnreadable,
  type ApiError,
  ApiNotFound,
  ApiOutcomeUnknown,
  ApiUnauthorized,
  ApiUnavailable,
  ApiUnreachable,
  type FailurePlace,
  RateLimited,
  type Unreadable,
  ValidationFailed,
} from './api-errors.ts'
import { readRefusal } from './read-refusal.ts'
import { ApiRefused, NotAllowedInState } from './refusals.ts'
import type { ApiRequest } from './request.ts'
import type { Reply } from './send-once.ts'

/** Max characters of the service's text in an error. */
const maxDetail = 2_048

/** The result of a reply: the body of a success, or the error to throw. */
export type Result = { ok: true; body: unknown } | { ok: false; error: ApiError }

/** Reads a reply by the rules of the specification (Errors). `retryAfter` is the reply's `Retry-After` with jitter, or the fallback's. */
export function readReply(
  request: ApiRequest,
  reply: Reply,
  retryAfter: (fallbackMs: number) => { afterMs: number },
): Result {
  if (reply.kind === 'failed') return { ok: false, error: failureWithoutAnswer(request, reply.reason, reply.sent) }
  const isSuccess = reply.status >= 200 && reply.status < 300
  const parsed = reply.kind === 'cut' ? unreadable('cut') : parse(reply.text, request.mayBeEmpty === true && isSuccess)
  if (isSuccess && parsed.ok && !isCoded(parsed.body)) return parsed
  const detail = parsed.ok ? errorText(parsed.body)?.slice(0, maxDetail) : undefined
  const place = { ...placeOf(request, reply), detail }
  if (isSuccess && !parsed.ok) return { ok: false, error: unreadableSuccess(request, place, parsed.reason) }
  return { ok: false, error: failureOf(request, place, parsed, reply.headers.get('retry-after') !== null, retryAfter) }
}

/** The error for a 2xx whose body cannot be used. For a write the outcome is unknown. */
export function unreadableSuccess(request: ApiRequest, place: FailurePlace, reason: Unreadable): ApiError {
  return request.method === 'GET'
    ? new ApiAnswerUnreadable(place, reason)
    : new ApiOutcomeUnknown(place, `answer ${reason}`, request.repeatable)
}

function isCoded(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body && CodedBody.safeParse(body).success
}

type Parsed = { ok: true; body: unknown } | { ok: false; reason: Unreadable }
const unreadable = (reason: Unreadable): Parsed => ({ ok: false, reason })

function parse(body: string, mayBeEmpty: boolean): Parsed {
  const text = body.replace(/^\ufeff/, '')
  if (text.trim() === '') return mayBeEmpty ? { ok: true, body: undefined } : unreadable('empty')
  try {
    const value: unknown = parseBounded(text)
    return typeof value === 'object' && value !== null ? { ok: true, body: value } : unreadable('unexpected_shape')
  } catch (error) {
    return unreadable(error instanceof JsonUnbounded ? error.code : 'not_json')
  }
}

function failureWithoutAnswer(request: ApiRequest, reason: string, sent: boolean): ApiError {
  const isUnknown = sent && request.method !== 'GET'
  return isUnknown
    ? new ApiOutcomeUnknown(request, reason, request.repeatable)
    : new ApiUnreachable(request, reason, sent)
}

function failureOf(
  request: ApiRequest,
  place: FailurePlace & { httpStatus: number },
  parsed: Parsed,
  hasRetryAfter: boolean,
  retryAfter: (fallbackMs: number) => { afterMs: number },
): ApiError {
  const status = place.httpStatus
  const body = parsed.ok ? parsed.body : undefined
  const coded = CodedBody.safeParse(body)
  if (coded.success) {
    const { code, existing_prior_auth_request_id: existing } = coded.data.error
    const refusal = readRefusal(place, { code, existing, resourceId: request.id, hasRetryAfter, retryAfter })
    if (refusal !== undefined) return refusal
  }
  if (status === 429) return new RateLimited(place, retryAfter(1000))
  if (status === 401 || status === 403) return new ApiUnauthorized(place)
  if (status >= 500) {
    return request.method === 'GET'
      ? new ApiUnavailable(place, hasRetryAfter ? retryAfter(0) : 'backoff')
      : new ApiOutcomeUnknown(place, `status ${status}`, request.repeatable)
  }
  const validation = ValidationBody.safeParse(body)
  if (validation.success) return new ValidationFailed(place, faultsOf(validation.data.detail))
  const isDetailed = DetailBody.safeParse(body).success
  if (status === 404 && request.id !== undefined && (isDetailed || coded.success))
    return new ApiNotFound(place, request.id)
  if (isDetailed) return status === 400 ? new NotAllowedInState(place) : new ApiRefused(place, `http_${status}`)
  return new ApiAnswerUnreadable(place, parsed.ok ? 'unexpected_shape' : parsed.reason)
}

/** Names and rules only: `msg` may quote the value, and an odd `loc` may be one. */
function faultsOf(detail: z.infer<typeof ValidationBody>['detail']): ValidationFailed['faults'] {
  return detail.map(({ loc, type }) => ({
    loc: loc.map((part) => (typeof part === 'number' || /^\w{1,64}$/.test(part) ? part : '?')),
    type: type !== undefined && /^[\w.]{1,64}$/.test(type) ? type : 'invalid',
  }))
}

/** Method, route, status and request id of an answered request. */
function placeOf(request: ApiRequest, answered: { status: number; headers: HeaderReader }) {
  const requestId = answered.headers.get('x-request-id')
  return {
    method: request.method,
    route: request.route,
    httpStatus: answered.status,
    requestId: requestId !== null && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : undefined,
    mayNotExist: request.options?.mayNotExist,
  }
}
