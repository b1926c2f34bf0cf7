import type { z } from 'zod'
import { faultsOf } from '../schemas/faults.ts'
import { type FailurePlace, RequestInvalid } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PATCH'

/** The last parameter of every method of the client. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason, or with `ApiOutcomeUnknown` where a write was already on its way. */
  signal?: AbortSignal | undefined
  /** `background` work leaves part of every rate limit for other work. Default `normal`. */
  priority?: Priority | undefined
}

export type Priority = 'normal' | 'background'

/** One request to the service before it is sent. */
export interface ApiRequest {
  method: Method
  /** The normalized route, such as `/prior-authorization/{id}`: the key of limits and metrics. */
  route: string
  /** Replaces `{id}` in the route. */
  id?: string
  body?: unknown
  /** For an endpoint with a host of its own. */
  baseUrl?: string
  /** Units that the request costs, by organization-wide policy (specification, Limits). */
  charges?: Record<string, number>
  /** A success may have no body: nothing is read from it. */
  mayBeEmpty?: boolean
  /** Carrying it out twice is harmless, so the caller may send it again after an unknown outcome. */
  repeatable: boolean
  /** 503 `resource_busy` promises that nothing was applied (specification, Endpoint rules, BV cancel). */
  retryBusy?: boolean
  options?: CallOptions | undefined
  /** The run of a handler that it is part of. */
  run?: ApiRun
}

/** What a request asks of the run that it is part of; what either throws, the call throws, and nothing is sent. */
export interface ApiRun {
  /** Asked right before a write is sent, whatever it waited for. */
  assertMayAct(this: void): void
  /** Told right before each request is sent, of its method and route; and told when the service has done what was asked. */
  beginRequest(this: void, kind: string): { answered(this: void): void }
}

/** The address of a request. Throws RequestInvalid for an id that would change the path instead of filling its place. */
export function addressOf(baseUrl: string, request: ApiRequest): string {
  const base = (request.baseUrl ?? baseUrl).replace(/\/+$/, '')
  if (request.id === undefined) return base + request.route
  // Half a surrogate pair cannot be encoded.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(request.id))
    throw new RequestInvalid(request, [{ loc: ['path', 'id'], msg: 'is no id of a resource', type: 'invalid_id' }])
  return base + request.route.replace('{id}', () => encodeURIComponent(request.id ?? ''))
}

/** Returns `body` once `schema` accepts it. Throws RequestInvalid with the place of every fault. */
export function checkedBody<T extends z.ZodType>(place: FailurePlace, schema: T, body: z.input<T>): z.input<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return body
  throw new RequestInvalid(place, faultsOf(parsed.error, body))
}
