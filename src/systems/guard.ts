import type { Admission } from './breaker.ts'

/** One call of a system, with its requests. */
export interface Call {
  /** Whether one of its requests was answered. */
  isAnswered: boolean
  requests: BegunRequest[]
}

/** One request in flight to a system. */
export interface BegunRequest {
  /** The kind of request, such as `PUT /Task`. */
  request: string
  /** Set if requests of its kind have been refused. */
  admission: Admission | undefined
}

/** Guards each system with its breaker. */
export interface Guard {
  /** Calls a system on behalf of a resource. Only an answered request in `Call.requests` shows that the system is up. Throws `SystemDown` while it is away, `FailureUnconfirmed`, the errors of `act`, and a `TypeError` for an unknown system. */
  call<T>(this: void, system: string, resourceId: string, act: (call: Call) => Promise<T>): Promise<T>
  /** Begins a request for these calls. Throws `SystemDown` while the system refuses requests of its kind. */
  begin(this: void, system: string, resourceId: string, request: string, calls: readonly Call[]): { answered(): void }
  /** The system that threw this failure or its cause; `undefined` if none did. */
  systemOf(this: void, failure: unknown): string | undefined
}

/** Passes every call on without judging it. */
export const noGuard: Guard = {
  call: (_system, _resourceId, act) => act({ isAnswered: false, requests: [] }),
  begin: () => ({ answered() {} }),
  systemOf: () => undefined,
}
