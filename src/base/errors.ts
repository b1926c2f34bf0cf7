import { inspect } from 'node:util'

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
  /** The kind of request that failed, such as `PUT /Task`, and never one resource: a refusal says nothing about requests of other kinds. Absent: about all. */
  readonly request: string | undefined = undefined
  /** Whether it brings the work closer to being parked; waiting for a system or for a rate limit does not. */
  readonly costsAttempt: boolean = true
  /** After so many milliseconds parked work is tried again by itself: what it lacks may come without an event. Absent: it rests. */
  readonly parkedAgainMs: number | undefined = undefined
  override get name(): string {
    return this.constructor.name
  }
}

/** The settings do not fit together; the message names every fault at once, by name and never by value. */
export class ConfigInvalid extends PawlError {
  readonly code = 'config_invalid'
}

/** The verdict of any thrown value: what pawl did not raise itself may be a passing fault, so it is tried again. */
export function retryOf(error: unknown): Retry {
  return error instanceof PawlError ? error.retry : 'backoff'
}

/** What the ledger, the console and, in production, the log keep of a thrown value. Of a foreign error that is its class, its place and the system codes of it and of its cause, since its message may quote patient data. */
export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof PawlError) return { code: error.code, message: error.message }
  if (!(error instanceof Error)) return { code: 'unexpected', message: 'something that is not an Error was thrown' }
  const [code = 'unexpected', causeCode] = causesOf(error).flatMap((each) => systemCodeOf(each) ?? [])
  const place = firstFrame(error)
  const message = place === undefined ? classOf(error) : `${classOf(error)} at ${place}`
  return { code, message: causeCode === undefined || causeCode === code ? message : `${message} (${causeCode})` }
}

/** A foreign error in full. It may hold patient data: for the log of a developer, never for the ledger, the console or production. */
export interface ForeignError {
  message: string
  stack?: string
  cause?: ForeignError
}

/** All that a thrown value says which pawl did not raise itself, or the foreign cause of what pawl did; `undefined` where there is none. */
export function quoteForeignError(error: unknown): ForeignError | undefined {
  const foreign = causesOf(error).filter((each) => !(each instanceof PawlError))
  return foreign.reduceRight<ForeignError | undefined>((cause, each) => {
    const { message, stack } = each instanceof Error ? each : { message: inspect(each), stack: undefined }
    return { message, ...(stack !== undefined && { stack }), ...(cause && { cause }) }
  }, undefined)
}

/** Causes that are followed: they may refer to each other in a circle. */
const maxCauses = 5

/** A thrown value, its cause, the cause of that, and so on. */
function causesOf(error: unknown): unknown[] {
  const causes = [error]
  for (let last = error; causes.length < maxCauses && last instanceof Error && last.cause !== undefined;) {
    last = last.cause
    causes.push(last)
  }
  return causes
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
