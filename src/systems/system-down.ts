import { PawlError } from '../base/errors.ts'
import { WorkPaused } from './work-paused.ts'

/** How loudly a failure is told: that a system is away was said once, and each piece of work that waits for it would say so again and again. */
export function levelOf(error: unknown): 'debug' | 'warn' {
  return error instanceof SystemDown || error instanceof WorkPaused ? 'debug' : 'warn'
}

/** A system is away, or refuses a kind of request for all; the work waits for it, and comes no closer to being parked unless `costsAttempt` says so. */
export class SystemDown extends PawlError {
  readonly code = 'system_down'
  override readonly costsAttempt: boolean
  override readonly retry: { afterMs: number }
  override readonly request: string | undefined
  readonly system: string

  constructor(system: string, afterMs: number, { request, cause, costsAttempt = false }: SystemDownOptions = {}) {
    // Whoever reads of the last outage wants to know of what kind it was: a refused token is mended otherwise than a dead line.
    const reason = cause instanceof PawlError ? ` (${cause.code})` : ''
    super(
      request === undefined
        ? `The system ${system} is away${reason}; the work waits until it is back.`
        : `The system ${system} refuses ${request} for many resources${reason}; the work waits until it takes one.`,
      { cause },
    )
    this.system = system
    this.request = request
    this.retry = { afterMs }
    this.costsAttempt = costsAttempt
  }
}

interface SystemDownOptions {
  /** The kind of request that is refused; absent: all of the system is away. */
  request?: string | undefined
  cause?: unknown
  costsAttempt?: boolean
}
