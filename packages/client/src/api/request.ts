import type { z } from 'zod'
import { faultsOf } from '../schemas/faults.ts'
import { type FailurePlace, RequestInvalid } from './api-errors.ts'

export type Method = 'GET' | 'POST' | 'PATCH'

/** The last parameter of every method of the client. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason, or with `ApiOutcomeUnknown` if a write was already sent. */
  signal?: AbortSignal | undefined
  /** `background` work leaves part of every rate limit for other work. Default `normal`. */
  priority?: Priority | undefined
  /** A person typed the id: a 404 is about this resource alone, not a sign of an outage. */
  mayNotExist?: boolean | undefined
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
  /** The base URL of an endpoint with its own host. */
  baseUrl?: string
  /** Units that the request costs, by organization-wide policy (specification, Limits). */
  charges?: Record<string, number>
  /** A success may have no body, which is then not read. */
  mayBeEmpty?: boolean
  /** Whether repeating it is harmless, so that the caller may send it again after an unknown outcome. */
  repeatable: boolean
  /** 503 `resource_busy` promises that nothing was applied (specification, Endpoint rules, BV cancel). */
  retryBusy?: boolean
  options?: CallOptions | undefined
  /** The handler run that sends it. */
  run?: ApiRun
}

/** Hooks of the handler run that sends a request. If either throws, nothing is sent and the call throws the same. */
export interface ApiRun {
  /** Called right before a write is sent, also after a wait. */
  assertMayAct(this: void): void
  /** Called right before each request with its method and route; `answered` is called when the service has carried it out. */
  beginRequest(this: void, kind: string): { answered(this: void): void }
}

/** The URL of a request. Throws RequestInvalid for an id that would change the path. */
export function addressOf(baseUrl: string, request: ApiRequest): string {
  const base = (request.baseUrl ?? baseUrl).replace(/\/+$/, '')
  if (request.id === undefined) return base + request.route
  // Half a surrogate pair cannot be encoded.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(request.id))
    throw new RequestInvalid(request, [{ loc: ['path', 'id'], msg: 'is not a resource id', type: 'invalid_id' }])
  return base + request.route.replace('{id}', () => encodeURIComponent(request.id ?? ''))
}

/** Returns `body` if `schema` accepts it. Throws RequestInvalid with the path of every fault. */
export function checkedBody<T extends z.ZodType>(place: FailurePlace, schema: T, body: z.input<T>): z.input<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return body
  throw new RequestInvalid(place, faultsOf(parsed.error, body))
}
