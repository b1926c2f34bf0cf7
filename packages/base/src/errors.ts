import { inspect } from 'node:util'
import { readOpenFilesLimit } from './open-files.ts'

/** Whether, and how soon, to retry failed work. */
export type Retry = 'never' | 'backoff' | { afterMs: number }

/** Every failure pawl raises on purpose. `code` is stable; neither it nor `message` holds patient data. */
export abstract class PawlError extends Error {
  abstract readonly code: string
  readonly retry: Retry = 'never'
  /** Whether a whole system is away, rather than one piece of work at fault. */
  readonly isOutage: boolean = false
  /** Whether the failure, such as a 403, may concern all work or just this piece. Only other work shows which. */
  readonly mayBeOutage: boolean = false
  /** Why a system failed, in a few words without patient data, such as `no connection (ECONNREFUSED)`; names the setting that is at fault, and the one of several addresses. */
  readonly reason: string | undefined = undefined
  /** The kind of request that failed, such as `PUT /Task`, without ids. A refusal says nothing about other kinds. Absent: all kinds. */
  readonly request: string | undefined = undefined
  /** Whether `request` names one of several addresses of the system, so that an outage, too, says nothing about the others. */
  readonly isOfRoute: boolean = false
  /** HTTP status of the failed answer, if any. */
  readonly httpStatus: number | undefined = undefined
  /** Whether the failure uses up an attempt. Waiting for a system or a rate limit does not, nor does an outage that is the system's fault for certain, as where no connection came about. */
  readonly costsAttempt: boolean = true
  /** Milliseconds until parked work is retried automatically, since its fix may come without an event. Absent: no retry. */
  readonly parkedAgainMs: number | undefined = undefined
  override get name(): string {
    return this.constructor.name
  }
}

/** The settings are invalid. The message lists every fault at once, with names and never values. */
export class ConfigInvalid extends PawlError {
  readonly code = 'config_invalid'
}

/** The retry verdict of any thrown value. A foreign error may be transient, so it is retried. */
export function retryOf(error: unknown): Retry {
  return error instanceof PawlError ? error.retry : 'backoff'
}

/** Describes a thrown value for the ledger, the console and, in production, the log. For a foreign error it gives class, code location and system codes, its cause's included, but not the message, which may quote patient data. */
export function describeError(error: unknown): { code: string; message: string } {
  if (error instanceof PawlError) return { code: error.code, message: error.message }
  if (!(error instanceof Error)) return { code: 'unexpected', message: 'a value that is not an Error was thrown' }
  const [code = 'unexpected', causeCode] = causesOf(error).flatMap((each) => systemCodeOf(each) ?? [])
  const place = firstFrame(error)
  const where = place === undefined ? classOf(error) : `${classOf(error)} at ${place}`
  const message = [code, causeCode].includes('EMFILE')
    ? `${where}: all ${readOpenFilesLimit() ?? ''} files and connections of this process are open (ulimit -n)`
    : where
  return { code, message: causeCode === undefined || causeCode === code ? message : `${message} (${causeCode})` }
}

/** The HTTP status that a thrown value carries. */
export function httpStatusOf(error: unknown): number | undefined {
  return error instanceof PawlError ? error.httpStatus : undefined
}

/** A foreign error in full. It may hold patient data, so it is only for a developer's log, never for the ledger, the console or production. */
export interface ForeignError {
  message: string
  stack?: string
  cause?: ForeignError
}

/** The full text of a foreign error, or of the foreign cause of pawl's own; `undefined` if there is none. */
export function quoteForeignError(error: unknown): ForeignError | undefined {
  const foreign = causesOf(error).filter((each) => !(each instanceof PawlError))
  return foreign.reduceRight<ForeignError | undefined>((cause, each) => {
    const { message, stack } = each instanceof Error ? each : { message: inspect(each), stack: undefined }
    return { message, ...(stack !== undefined && { stack }), ...(cause && { cause }) }
  }, undefined)
}

/** Max depth of causes, which may be circular. */
const maxCauses = 5

/** A thrown value with its chain of causes. */
function causesOf(error: unknown): unknown[] {
  const causes = [error]
  for (let last = error; causes.length < maxCauses && last instanceof Error && last.cause !== undefined;) {
    last = last.cause
    causes.push(last)
  }
  return causes
}

/** The error's system code, such as `ECONNREFUSED`, if any. */
export function systemCodeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code) ? code : undefined
}

/** Prefers its own `name`: an error from another thread has lost its class. */
function classOf(error: Error): string {
  return Object.hasOwn(error, 'name') && /^\w{1,60}$/.test(error.name) ? error.name : error.constructor.name
}

/** File and line where a foreign error was thrown; they cannot hold patient data. */
function firstFrame(error: Error): string | undefined {
  const { stack = '', message } = error
  // The message precedes the frames, and may quote text that looks like frames.
  const frames = stack.slice(Math.max(0, stack.indexOf(message)) + message.length)
  return /^ {4}at .*?([\w.-]+\.[cm]?[jt]s:\d+):\d+\)?$/m.exec(frames)?.[1]
}
