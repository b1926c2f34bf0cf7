import { RequestInvalid } from './errors.ts'

export type Method = 'GET' | 'POST' | 'PATCH'

/** What every method of the client takes last. */
export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason, or with `ApiOutcomeUnknown` where a write was already on its way. */
  signal?: AbortSignal | undefined
}

/** One call to the service before it is sent. */
export interface Call {
  method: Method
  /** The normalized route, such as `/prior-authorization/{id}`: what limits and metrics are kept by. */
  route: string
  /** Takes the place of `{id}`. */
  id?: string
  body?: unknown
  /** Carrying it out twice is harmless, so its unknown outcome may be mended by another attempt of the caller. */
  repeatable: boolean
  /** 503 `resource_busy` promises that nothing was applied (specification, Endpoint rules, BV cancel). */
  retryBusy?: boolean
  options?: CallOptions | undefined
}

/** The address of a call. Throws RequestInvalid for an id that would change the path instead of filling it. */
export function addressOf(baseUrl: string, call: Call): string {
  const base = baseUrl.replace(/\/+$/, '')
  if (call.id === undefined) return base + call.route
  if (/^\.{0,2}$/.test(call.id)) throw new RequestInvalid(call, [{ loc: ['path', 'id'], type: 'invalid_id' }])
  return base + call.route.replace('{id}', () => encodeURIComponent(call.id ?? ''))
}
