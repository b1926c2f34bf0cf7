import { PawlError } from '@pawl/base/errors'
import { pausedErrors } from '@pawl/ledger/hot/waiting-errors'

/** Milliseconds until waiting work is checked again, although a resume makes it due. */
const lookAgainMs = 600_000

/** An operator paused the handler, or a system that the run needs: the work waits, at no cost. */
export class WorkPaused extends PawlError {
  readonly code: string
  override readonly costsAttempt = false
  override readonly retry = { afterMs: lookAgainMs }
  readonly paused: { kind: 'handler' | 'system'; name: string }

  constructor(kind: 'handler' | 'system', name: string) {
    super(`The ${kind} ${name} is paused; the work waits until an operator resumes it.`)
    this.code = pausedErrors[kind]
    this.paused = { kind, name }
  }
}
