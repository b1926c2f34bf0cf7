/** Error codes of work that waits for a pause of its handler or of a system. */
export const pausedErrors = { handler: 'handler_paused', system: 'system_paused' } as const

/** Error codes of work that waits for a system that is away, or that refuses a kind of request. */
export const absenceErrors = { system: 'system_down', request: 'request_refused' } as const

/** Codes of failures whose cause, the system or the resource, is not known yet: such work waits without counting as failed. */
export const unconfirmedErrors = { outage: 'outage_unconfirmed', refusal: 'refusal_unconfirmed' } as const

/** Codes of failures before any handler runs: every handler of the resource fails with them. */
export const errorsBeforeHandlers = ['never_given_back', 'not_found_yet', 'seal_broken', 'snapshot_of_another'] as const
export type ErrorBeforeHandlers = (typeof errorsBeforeHandlers)[number]

/** Error codes of work that waits: for a pause, for a system to come back, or for the cause of a failure to be known. Such work has not failed. */
export const waitingErrors = [
  pausedErrors.handler,
  pausedErrors.system,
  absenceErrors.system,
  absenceErrors.request,
  unconfirmedErrors.outage,
  unconfirmedErrors.refusal,
] as const

/** A result as counted and shown, by its error code. */
export function shownResult<Result extends string>(result: Result, errorCode: string | undefined): Result | 'waited' {
  return result === 'failed' && isWaitingError(errorCode) ? 'waited' : result
}

/** Whether work with this code waits, and has not failed. */
export function isWaitingError(code: string | null | undefined): boolean {
  return waitingErrors.some((each) => each === code)
}
