import type { Admission } from './breaker.ts'

/** One call of a system, and what was asked of the system for it. */
export interface Call {
  /** A request of it was answered. */
  isAnswered: boolean
  requests: BegunRequest[]
}

/** One request on its way to a system. */
export interface BegunRequest {
  /** Of which kind, such as `PUT /Task`. */
  request: string
  /** Where requests of its kind are refused. */
  admission: Admission | undefined
}

/** In front of each system. */
export interface Guard {
  /** Asks a system on behalf of a resource: only what was answered of `Call.requests` shows that it is there. Throws `SystemDown` while the system is away, `FailureUnconfirmed`, what `act` throws, and a `TypeError` for a system that was not named. */
  call<T>(this: void, system: string, resourceId: string, act: (call: Call) => Promise<T>): Promise<T>
  /** Begins a request for these calls. Throws `SystemDown` while the system refuses requests of its kind. */
  begin(this: void, system: string, resourceId: string, request: string, calls: readonly Call[]): { answered(): void }
  /** The system at which this failure, or what caused it, was thrown; `undefined` where it was none of them. */
  systemOf(this: void, failure: unknown): string | undefined
}

/** Lets everything through, and judges nothing. */
export const noGuard: Guard = {
  call: (_system, _resourceId, act) => act({ isAnswered: false, requests: [] }),
  begin: () => ({ answered() {} }),
  systemOf: () => undefined,
}
