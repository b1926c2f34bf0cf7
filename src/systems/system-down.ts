import { PawlError } from '@pawl/base/errors'
import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import { WorkPaused } from './work-paused.ts'

/** Log level of a failure: an outage is logged once, so work that waits for it logs at `debug`. */
export function levelOf(error: unknown): 'debug' | 'warn' {
  return error instanceof SystemDown || error instanceof WorkPaused ? 'debug' : 'warn'
}

/** A system is away, or refuses a kind of request for all resources; the work waits, at no cost unless `costsAttempt` is set. */
export class SystemDown extends PawlError {
  /** `system_down`, or `request_refused` where only one kind of request is. */
  readonly code: string
  override readonly costsAttempt: boolean
  override readonly retry: { afterMs: number }
  override readonly request: string | undefined
  readonly system: string

  constructor(system: string, afterMs: number, { request, cause, costsAttempt = false }: SystemDownOptions = {}) {
    // The code shows the kind of outage: the remedy for a refused token differs from that for a dead line.
    const reason = cause instanceof PawlError ? ` (${cause.code})` : ''
    super(
      request === undefined
        ? `The system ${system} is away${reason}; the work waits until it is back.`
        : `The system ${system} refuses ${request} for many resources${reason}; the work waits until it takes one.`,
      { cause },
    )
    this.code = request === undefined ? absenceErrors.system : absenceErrors.request
    this.system = system
    this.request = request
    this.retry = { afterMs }
    this.costsAttempt = costsAttempt
  }
}

interface SystemDownOptions {
  /** The refused kind of request; absent if the whole system is away. */
  request?: string | undefined
  cause?: unknown
  costsAttempt?: boolean
}
