import type { z } from 'zod'
import { faultsOf } from '../resources/requests/faults.ts'
import { type FailurePlace, RequestInvalid } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PATCH'

/** What every method of the client takes last. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason, or with `ApiOutcomeUnknown` where a write was already on its way. */
  signal?: AbortSignal | undefined
  /** `background` work leaves a reserve of the rate limits to the rest. Default `normal`. */
  priority?: Priority | undefined
}

export type Priority = 'normal' | 'background'

/** One call to the service before it is sent. */
export interface Call {
  method: Method
  /** The normalized route, such as `/prior-authorization/{id}`: what limits and metrics are kept by. */
  route: string
  /** Takes the place of `{id}`. */
  id?: string
  body?: unknown
  /** Where the endpoint has a host of its own. */
  baseUrl?: string
  /** Units of the organization-wide policies that the call uses up, by policy (specification, Limits). */
  charges?: Record<string, number>
  /** A success without a body is as good: nothing is read from it. */
  mayBeEmpty?: boolean
  /** Carrying it out twice is harmless, so its unknown outcome may be mended by another attempt of the caller. */
  repeatable: boolean
  /** 503 `resource_busy` promises that nothing was applied (specification, Endpoint rules, BV cancel). */
  retryBusy?: boolean
  options?: CallOptions | undefined
}

/** The address of a call. Throws RequestInvalid for an id that would change the path instead of filling it. */
export function addressOf(baseUrl: string, call: Call): string {
  const base = (call.baseUrl ?? baseUrl).replace(/\/+$/, '')
  if (call.id === undefined) return base + call.route
  // Half a character cannot be written into an address.
  if (/^\.{0,2}$|\p{Surrogate}/u.test(call.id))
    throw new RequestInvalid(call, [{ loc: ['path', 'id'], type: 'invalid_id' }])
  return base + call.route.replace('{id}', () => encodeURIComponent(call.id ?? ''))
}

/** `body` as it may be sent. Throws RequestInvalid with the place of every fault. */
export function checkedBody<T extends z.ZodType>(place: FailurePlace, schema: T, body: z.input<T>): z.input<T> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return body
  throw new RequestInvalid(place, faultsOf(parsed.error, body))
}
