import { PawlError } from '@pawl/base/errors'
import { absenceErrors } from '@pawl/ledger/hot/waiting-errors'
import { WorkPaused } from './work-paused.ts'

/** Log level of a failure: an outage is logged once, so work that waits for it logs at `debug`. */
export function levelOf(error: unknown): 'debug' | 'warn' {
  return error instanceof SystemDown || error instanceof WorkPaused ? 'debug' : 'warn'
}

/** A system is away, or refuses a kind of request for all resources; the work waits, at no cost unless `costsAttempt` is set. */
export class SystemDown extends PawlError {
  /** `system_down`, or `request_refused` where only one kind of request is refused. */
  readonly code: string
  override readonly costsAttempt: boolean
  override readonly retry: { afterMs: number }
  override readonly request: string | undefined
  readonly system: string

  constructor(system: string, afterMs: number, { request, cause, costsAttempt = false }: SystemDownOptions = {}) {
    const isAway = request === undefined || (cause instanceof PawlError && cause.isOutage)
    // The remedy for a refused token differs from that for a dead line.
    const reason = cause instanceof PawlError ? ` (${cause.reason ?? cause.code})` : ''
    super(
      isAway
        ? `The system ${system} is away${request === undefined ? '' : ` for ${request}`}${reason}; the work waits until it is back.`
        : `The system ${system} refuses ${request} for many resources${reason}; the work waits until it takes one.`,
      { cause },
    )
    this.code = isAway ? absenceErrors.system : absenceErrors.request
    this.system = system
    this.request = request
    this.retry = { afterMs }
    this.costsAttempt = costsAttempt
  }
}

interface SystemDownOptions {
  /** The kind of request that is refused or fails; absent if the whole system is away. */
  request?: string | undefined
  /** The last failure; an outage of that kind makes its system count as away. */
  cause?: unknown
  costsAttempt?: boolean
}
