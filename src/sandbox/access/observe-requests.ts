import type { RequestHandler, Response } from 'express'
import type { Observe } from '../platform/observe.ts'
import type { ErrorBody, Refusal } from '../platform/refusal.ts'

/** Reports each call once it is answered or aborted, except successful reads of controls and documents, which pages poll. */
export function observeRequests(observe: Observe): RequestHandler {
  return (req, res, next) => {
    const startedAt = performance.now()
    const { method } = req
    const path = shownPath(req.path)
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : undefined
      const refusal = refusalOf(res)
      if (isRead(method) && !isEndpoint(res) && status !== undefined && status < 400) return
      const code = refusal === undefined ? undefined : codeOf(refusal.body)
      observe({ kind: 'request', method, path, status, code, duration_ms: Math.round(performance.now() - startedAt) })
      if (refusal !== undefined && status !== undefined)
        observe({ kind: 'refusal', method, path, status, reasons: reasonsOf(refusal.body) })
    })
    next()
  }
}

/** Attaches the reason for a refusal to the response, for observers. */
export function noteRefusal(res: Response, refusal: Refusal): void {
  res.locals.refusal = refusal
}

function refusalOf(res: Response): Refusal | undefined {
  // Only `noteRefusal` sets it.
  return res.locals.refusal as Refusal | undefined
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
const isEndpoint = (res: Response) => res.locals.operation !== undefined

/** Hides file names, which may hold patient data, and long paths, which the sandbox does not serve. */
function shownPath(path: string): string {
  return path.startsWith('/files/') ? '/files/…' : plain(path, 120)
}

function codeOf(body: ErrorBody): string | undefined {
  if ('error' in body) return body.error.code
  return Array.isArray(body.detail) ? 'validation_error' : undefined
}

const maxReasons = 5

function reasonsOf(body: ErrorBody): string[] {
  // The description of a failed scenario quotes fields of resources.
  if ('error' in body)
    return [body.error.code === 'scenario_failed' ? 'The answer says where.' : body.error.description]
  if (!Array.isArray(body.detail)) return [body.detail]
  const reasons = body.detail.map(({ loc, msg }) => plain(`${loc.join('.')}: ${msg}`, 200))
  return reasons.length <= maxReasons
    ? reasons
    : [...reasons.slice(0, maxReasons), `and ${reasons.length - maxReasons} more`]
}

/** Strips control characters from foreign text. */
function plain(text: string, max: number): string {
  const safe = text.replaceAll(/[^\x20-\x7E]/g, '?')
  return safe.length > max ? `${safe.slice(0, max)}…` : safe
}
