import type { RequestHandler, Response } from 'express'
import type { Clock } from '@pawl/base/clock'
import { faultText } from 'pawl-client/schemas/documented-errors'
import type { Observe } from '../platform/observe.ts'
import type { ErrorBody, Refusal } from '../platform/refusal.ts'
import { compact } from '../platform/wire.ts'
import { captureAnswer, readBody } from '../requests/capture-bodies.ts'
import type { RequestLog } from '../requests/request-log.ts'

/** Reports and logs each call once it is answered or aborted. Skips successful reads of controls and documents, which pages poll. The log omits the pages' forms. */
export function observeRequests(deps: {
  observe: Observe
  log: Pick<RequestLog, 'add'>
  clock: Clock
}): RequestHandler {
  const { observe, log, clock } = deps
  return (req, res, next) => {
    const startedAt = performance.now()
    const at = new Date(clock.now()).toISOString()
    const { method } = req
    const path = shownPath(req.path)
    const isPage = path.startsWith('/_sandbox/pages/')
    const readAnswer = isPage ? undefined : captureAnswer(res)
    res.once('close', () => {
      const status = res.writableFinished ? res.statusCode : undefined
      const refusal = refusalOf(res)
      if (isRead(method) && !isEndpoint(res) && status !== undefined && status < 400) return
      const code = refusal === undefined ? undefined : codeOf(refusal.body)
      const durationMs = Math.round(performance.now() - startedAt)
      if (readAnswer !== undefined)
        log.add({
          ...compact({ organization: ownerOf(res), status, code, body: readBody(res), answer: readAnswer() }),
          ...compact({ contentType: req.get('content-type') }),
          at,
          method,
          path: path === hiddenFile ? path : plain(req.originalUrl, maxUrl),
          durationMs,
        })
      observe({ kind: 'request', method, path, status, code, duration_ms: durationMs })
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

// Only `authenticate` sets it.
const ownerOf = (res: Response) => (res.locals.organization as { id: string } | undefined)?.id

const hiddenFile = '/files/…'
const maxUrl = 2_000

/** Hides file names, which may hold patient data, and long paths, which the sandbox does not serve. */
function shownPath(path: string): string {
  return path.startsWith('/files/') ? hiddenFile : plain(path, 120)
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
  const reasons = body.detail.map((fault) => plain(faultText(fault), 200))
  return reasons.length <= maxReasons
    ? reasons
    : [...reasons.slice(0, maxReasons), `and ${reasons.length - maxReasons} more`]
}

/** Strips control characters from foreign text. */
function plain(text: string, max: number): string {
  const safe = text.replaceAll(/[^\x20-\x7E]/g, '?')
  return safe.length > max ? `${safe.slice(0, max)}…` : safe
}
