import { z } from 'zod'
import type { HeaderReader } from '../fetch.ts'
import { open } from '../resources/open.ts'
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
} from './errors.ts'
import type { Exchange } from './exchange.ts'
import { refusalOf } from './refusal.ts'
import { ApiRefused, NotAllowedInState } from './refusals.ts'
import type { Call } from './request.ts'

/** What an exchange means: the body of a success, or the error to throw. */
export type Answer = { ok: true; body: unknown } | { ok: false; error: ApiError }

const CodedBody = z.looseObject({
  error: z.looseObject({ code: z.string(), existing_prior_auth_request_id: open(z.string()) }),
})
const DetailBody = z.looseObject({ detail: z.string() })
const ValidationBody = z.looseObject({
  detail: z.array(z.looseObject({ loc: z.array(z.union([z.string(), z.number()])), type: open(z.string()) })),
})

/** Reads an exchange by the rules of the specification (Errors). `waitMs` is what a `Retry-After` in it asks for, jitter included. */
export function readAnswer(
  call: Call,
  exchange: Exchange,
  waitMs: (fallbackMs: number) => { afterMs: number },
): Answer {
  if (exchange.kind === 'failed') return { ok: false, error: withoutAnswer(call, exchange.reason, exchange.sent) }
  const place = placeOf(call, exchange)
  const isSuccess = exchange.status >= 200 && exchange.status < 300
  const parsed =
    exchange.kind === 'cut' ? unreadable('cut') : parse(exchange.text, call.mayBeEmpty === true && isSuccess)
  if (isSuccess && parsed.ok && !isCoded(parsed.body)) return parsed
  if (isSuccess && !parsed.ok) return { ok: false, error: unreadableSuccess(call, place, parsed.reason) }
  return { ok: false, error: failureOf(call, place, parsed, exchange.headers.get('retry-after') !== null, waitMs) }
}

/** The error for a success whose body is not what was asked for; of a write, its outcome is then unknown. */
export function unreadableSuccess(call: Call, place: FailurePlace, reason: Unreadable): ApiError {
  return call.method === 'GET'
    ? new ApiAnswerUnreadable(place, reason)
    : new ApiOutcomeUnknown(place, `answer ${reason}`, call.repeatable)
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
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ok: true, body: value } : unreadable('unexpected_shape')
  } catch {
    return unreadable('not_json')
  }
}

function withoutAnswer(call: Call, reason: string, sent: boolean): ApiError {
  const isUnknown = sent && call.method !== 'GET'
  return isUnknown ? new ApiOutcomeUnknown(call, reason, call.repeatable) : new ApiUnreachable(call, reason)
}

function failureOf(
  call: Call,
  place: FailurePlace & { httpStatus: number },
  parsed: Parsed,
  isTold: boolean,
  waitMs: (fallbackMs: number) => { afterMs: number },
): ApiError {
  const status = place.httpStatus
  const body = parsed.ok ? parsed.body : undefined
  const coded = CodedBody.safeParse(body)
  if (coded.success) {
    const { code, existing_prior_auth_request_id: existing } = coded.data.error
    const refusal = refusalOf(place, { code, existing, resourceId: call.id, isTold, waitMs })
    if (refusal !== undefined) return refusal
  }
  if (status === 429) return new RateLimited(place, waitMs(1000))
  if (status === 401 || status === 403) return new ApiUnauthorized(place)
  if (status >= 500) {
    return call.method === 'GET'
      ? new ApiUnavailable(place, isTold ? waitMs(0) : 'backoff')
      : new ApiOutcomeUnknown(place, `status ${status}`, call.repeatable)
  }
  const validation = ValidationBody.safeParse(body)
  if (validation.success) return new ValidationFailed(place, faultsOf(validation.data.detail))
  const isDetailed = DetailBody.safeParse(body).success
  if (status === 404 && call.id !== undefined && (isDetailed || coded.success)) return new ApiNotFound(place, call.id)
  if (isDetailed) return status === 400 ? new NotAllowedInState(place) : new ApiRefused(place, `http_${status}`)
  return new ApiAnswerUnreadable(place, parsed.ok ? 'unexpected_shape' : parsed.reason)
}

/** Names and rules only: `msg` may quote the value, and a strange `loc` may be one. */
function faultsOf(detail: z.infer<typeof ValidationBody>['detail']): ValidationFailed['faults'] {
  return detail.map(({ loc, type }) => ({
    loc: loc.map((part) => (typeof part === 'number' || /^\w{1,64}$/.test(part) ? part : '?')),
    type: type !== undefined && /^[\w.]{1,64}$/.test(type) ? type : 'invalid',
  }))
}

/** Method, route, status and request id of an answered call. */
export function placeOf(call: Call, answered: { status: number; headers: HeaderReader }) {
  const requestId = answered.headers.get('x-request-id')
  return {
    method: call.method,
    route: call.route,
    httpStatus: answered.status,
    requestId: requestId !== null && /^[\w.:-]{1,128}$/.test(requestId) ? requestId : undefined,
  }
}
