/** Whether, and how soon, the work that failed deserves another attempt. */
export type Retry = 'never' | 'backoff' | { afterMs: number }

/** Every failure pawl raises on purpose. `code` is stable; neither it nor `message` holds patient data. */
export abstract class PawlError extends Error {
  abstract readonly code: string
  readonly retry: Retry = 'never'
  /** As far as this failure tells, a whole system is away, and not one piece of work at fault. */
  readonly isOutage: boolean = false
  /** The failure may be about this piece of work or about all of it, such as 403: only what becomes of other work tells. */
  readonly mayBeOutage: boolean = false
  /** Whether it brings the work closer to being parked; waiting for a system or for a rate limit does not. */
  readonly costsAttempt: boolean = true
  override get name(): string {
    return this.constructor.name
  }
}

/** The verdict of any thrown value: what pawl did not raise itself may be a passing fault, so it is tried again. */
export function retryOf(error: unknown): Retry {
  return error instanceof PawlError ? error.retry : 'backoff'
}

/** What the ledger and the log keep of a thrown value: of a foreign error only its class or system code, since its message may quote patient data. */
export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof PawlError) return { code: error.code, message: error.message }
  if (!(error instanceof Error)) return { code: 'unexpected', message: 'something that is not an Error was thrown' }
  const code = systemCodeOf(error) ?? 'unexpected'
  const place = firstFrame(error)
  return { code, message: place === undefined ? classOf(error) : `${classOf(error)} at ${place}` }
}

/** The system's name for what went wrong, such as `ECONNREFUSED`, where the error has one. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined
}

/** Its own name counts where it came from another thread without its class. */
function classOf(error: Error): string {
  return Object.hasOwn(error, 'name') && /^\w{1,60}$/.test(error.name) ? error.name : error.constructor.name
}

/** Where a foreign error was thrown: a file and line of code, which help and cannot hold data. */
function firstFrame(error: Error): string | undefined {
  const { stack = '', message } = error
  // The message stands before the frames, and may quote what looks like frames.
  const frames = stack.slice(Math.max(0, stack.indexOf(message)) + message.length)
  return /^ {4}at .*?([\w.-]+\.[cm]?[jt]s:\d+):\d+\)?$/m.exec(frames)?.[1]
}
