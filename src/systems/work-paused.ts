import { PawlError } from '../base/errors.ts'
import { heldErrors } from '../ledger/hot/waiting-errors.ts'

/** Milliseconds until work that waits for a hold is looked at again, though whoever lifts the hold makes it due. */
const lookAgainMs = 600_000

/** Somebody paused the handler, or a system that the run needs: the work waits, and comes no closer to being parked. */
export class WorkPaused extends PawlError {
  readonly code: string
  override readonly costsAttempt = false
  override readonly retry = { afterMs: lookAgainMs }
  readonly held: { kind: 'handler' | 'system'; name: string }

  constructor(kind: 'handler' | 'system', name: string) {
    super(`The ${kind} ${name} is paused; the work waits until somebody resumes it.`)
    this.code = heldErrors[kind]
    this.held = { kind, name }
  }
}
