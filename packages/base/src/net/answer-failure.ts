import type { ErrorRequestHandler, Response } from 'express'
import { describeError, PawlError } from '../errors.ts'
import type { SampledLog } from '../sampled-log.ts'

export interface AnswerFailureDeps {
  /** The listener, in the log. */
  component: string
  /** Sampled, because errors can come in floods. */
  sampledLog: Pick<SampledLog, 'warn' | 'error'>
  /** The sentence of a 503. */
  unavailable: string | (() => string)
}

/** The last handler of every Express app of pawl, so that no error reaches Express's own, which prints the request's text to stderr: a request that cannot be read is 400 `bad_request` (or the 4xx of its error), anything else 503 `unavailable`; pawl's own errors keep code and message. A refusal, which is pawl's own error with a status, is not logged. */
export function createAnswerFailure({ component, sampledLog, unavailable }: AnswerFailureDeps): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (error: unknown, _req, res, _next) => {
    const own = statusOf(error)
    const status = own ?? 503
    const isOurs = error instanceof PawlError
    // The error of a bad request quotes it.
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

/** Cuts an answer that has begun, which Express's own last handler would do and print. */
export function cutIfBegun(res: Response): boolean {
  if (res.headersSent) res.req.socket.destroy()
  return res.headersSent
}

/** The 4xx or 5xx that Express, a body parser or pawl set on an error. */
export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined
}
