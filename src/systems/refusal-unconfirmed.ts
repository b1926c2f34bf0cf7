import { PawlError } from '../errors.ts'

/** A system refused work in a way that may not be about this work alone; the work waits, at no cost, until it is known whether others are refused, too. */
export class RefusalUnconfirmed extends PawlError {
  readonly code = 'refusal_unconfirmed'
  override readonly costsAttempt = false
  override readonly retry: { afterMs: number }
  readonly system: string

  constructor(system: string, afterMs: number, cause: PawlError) {
    super(
      `The system ${system} refused (${cause.code}: ${cause.message}); the work is parked if it refuses this work alone.`,
      { cause },
    )
    this.system = system
    this.retry = { afterMs }
  }
}
