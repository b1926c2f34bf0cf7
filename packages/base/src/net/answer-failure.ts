import type { ErrorRequestHandler, Response } from 'express'
import { describeError, PawlError } from '../errors.ts'
import type { SampledLog } from '../sampled-log.ts'

export interface AnswerFailureDeps {
  /** The listener's name in the log. */
  component: string
  /** Sampled, because errors can come in floods. */
  sampledLog: Pick<SampledLog, 'warn' | 'error'>
  /** The message of a 503. */
  unavailable: string | (() => string)
}

/**
 * Makes the last error handler of every Express app in pawl; Express's own would print the request's text to stderr.
 * An unreadable request gets 400 `bad_request` (or its error's own 4xx), any other failure 503 `unavailable`. pawl's own errors keep code and message.
 * A refusal, which is one of pawl's own errors with a status, is not logged.
 */
export function createAnswerFailure({ component, sampledLog, unavailable }: AnswerFailureDeps): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, _req, res, _next) => {
    const own = statusOf(error)
    const status = own ?? 503
    const isOurs = error instanceof PawlError
    // Leaves the error out: that of an unreadable request quotes the request.
    if (status < 500 && !isOurs) sampledLog.warn({ component, reason: 'bad_request', status }, 'request not readable')
    else if (!isOurs || own === undefined)
      sampledLog.error({ component, error, reason: describeError(error).code, status }, 'request failed')
    if (cutIfBegun(res)) return
    const otherwise =
      status < 500
        ? { code: 'bad_request', message: 'The request could not be read.' }
        : { code: 'unavailable', message: typeof unavailable === 'string' ? unavailable : unavailable() }
    const { code, message } = isOurs ? error : otherwise
    res.status(status).json({ error: { code, message } })
  }
}

/** Cuts off an answer that has begun, and returns whether it had. Express's own last handler would also print the error. */
export function cutIfBegun(res: Response): boolean {
  if (res.headersSent) res.req.socket.destroy()
  return res.headersSent
}

/** The 4xx or 5xx that Express, a body parser or pawl set on an error. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined
}
