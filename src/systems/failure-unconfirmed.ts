import { PawlError } from '../base/errors.ts'
import { unconfirmedErrors } from '../ledger/hot/waiting-errors.ts'

/** A system failed or refused work in a way that may not be about this work alone; the work waits, at no cost, until it is known whether others meet the same. */
export class FailureUnconfirmed extends PawlError {
  readonly code: string
  override readonly costsAttempt = false
  override readonly retry: { afterMs: number }
  readonly system: string

  constructor(system: string, afterMs: number, cause: PawlError) {
    const { isOutage, code, message } = cause
    super(
      isOutage
        ? `The system ${system} failed (${code}: ${message}); attempts count from the next failures on, unless it fails for others, too.`
        : `The system ${system} refused (${code}: ${message}); the work is parked if it refuses this work alone.`,
      { cause },
    )
    this.code = unconfirmedErrors[isOutage ? 'outage' : 'refusal']
    this.system = system
    this.retry = { afterMs: Math.max(afterMs, typeof cause.retry === 'object' ? cause.retry.afterMs : 0) }
  }
}
