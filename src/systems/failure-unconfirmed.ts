import { PawlError } from '@pawl/base/errors'
import { unconfirmedErrors } from '@pawl/ledger/hot/waiting-errors'

/** A system failed or refused work in a way that may affect other work too. The work waits, at no cost, until that is decided. */
export class FailureUnconfirmed extends PawlError {
  readonly code: string
  override readonly costsAttempt = false
  override readonly retry: { afterMs: number }
  readonly system: string

  constructor(system: string, afterMs: number, cause: PawlError) {
    const { isOutage, costsAttempt, code, message } = cause
    super(
      isOutage
        ? `The system ${system} failed (${code}: ${message}); ${costsAttempt ? 'further failures count as attempts, unless it fails for other work, too' : 'the next tries show whether it is away'}.`
        : `The system ${system} refused (${code}: ${message}); the work parks if the system refuses only this work.`,
      { cause },
    )
    this.code = unconfirmedErrors[isOutage ? 'outage' : 'refusal']
    this.system = system
    this.retry = { afterMs: Math.max(afterMs, typeof cause.retry === 'object' ? cause.retry.afterMs : 0) }
  }
}
