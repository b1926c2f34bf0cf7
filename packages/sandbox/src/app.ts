import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import { cutIfBegun, statusOf } from '@pawl/base/net/answer-failure'
import { JsonUnbounded, verifyBounds } from '@pawl/base/parse-json'
import type { Clock } from '@pawl/base/clock'
import type { Observe } from './platform/observe.ts'
import { codedRefusal, detailRefusal, Refusal, validationRefusal } from './platform/refusal.ts'
import { resolveOperation } from './access/resolve-operation.ts'
import { authenticate, requireApiAccess } from './access/authenticate-token.ts'
import { refundUnits } from './access/limit-requests.ts'
import { refuseForeign } from './access/refuse-foreign.ts'
import { noteRefusal, observeRequests } from './access/observe-requests.ts'
import type { Organizations } from './access/organizations.ts'
import type { Tokens } from './access/tokens.ts'
import { noteBody } from './requests/capture-bodies.ts'
import type { RequestLog } from './requests/request-log.ts'
import { otherContentType } from './platform/validate.ts'
import type { RequestFault } from 'pawl-client/schemas/faults'
import type { SignedFiles } from './files/signed-files.ts'

/** A card side may have 4 MiB, a third more as Base64, and a request may contain several. */
const bodyLimit = '64mb'

/** The HTTP app: only documents, files, controls and pages work without a token. */
export function createApp(deps: {
  tokens: Tokens
  organizations: Organizations
  documents: Router
  files: Pick<SignedFiles, 'note' | 'routes'>
  /** Host names besides loopback under which browsers may reach the controls and pages. */
  hostNames: ReadonlySet<string>
  /** The pages for people; passes other requests on. */
  pages: RequestHandler
  controls: Router
  observe: Observe
  requests: Pick<RequestLog, 'add'>
  /** The wall clock. */
  clock: Clock
  /** Persists all changes. Called before each answer, so no answered change is lost. */
  flush: () => void
  /** Runs for each call of an endpoint with a token, before any refusal. */
  limits: RequestHandler
  /** Run after the limits and before the endpoints. */
  gates: readonly RequestHandler[]
  routes: readonly RequestHandler[]
}): Express {
  const app = express()
  const json = express.json({
    limit: bodyLimit,
    verify: (req, res, body) => {
      verifyBounds(req, res, body)
      // The compiler cannot see that Express made the response.
      noteBody(res as Response, body)
    },
  })
  app.disable('x-powered-by')
  app.disable('etag')
  app.use(flushFirst(deps.flush), observeRequests({ observe: deps.observe, log: deps.requests, clock: deps.clock }))
  app.use(deps.documents, deps.files.routes)
  app.use('/_sandbox', refuseForeign({ names: deps.hostNames }), deps.pages)
  app.use('/_sandbox', json, noteContentType, deps.controls, refuseUnknownControl)
  app.use(authenticate(deps), deps.files.note, resolveOperation, readBody(json), deps.limits, requireApiAccess)
  app.use(...deps.gates, refuseUnreadableBody, ...deps.routes)
  app.use(answerError)
  return app
}

/** Records a fault of the body instead of refusing it at once, because limits count the request first. */
function readBody(json: RequestHandler): RequestHandler {
  return (req, res, next) => {
    void json(req, res, (error?: unknown) => {
      res.locals.bodyError = error
      noteContentType(req, res, next)
    })
  }
}

/** Marks a body not sent as JSON, for its validation. */
const noteContentType: RequestHandler = (req, _res, next) => {
  const { 'transfer-encoding': encoding, 'content-length': length = 0 } = req.headers
  if (req.body === undefined && (encoding !== undefined || Number(length) > 0)) req.body = otherContentType
  next()
}

const refuseUnreadableBody: RequestHandler = (_req, res, next) => {
  next(res.locals.bodyError)
}

/** Answers 404 for an unknown control, not 401: controls need no token. */
const refuseUnknownControl: RequestHandler = (req) => {
  throw codedRefusal(404, {
    title: 'Unknown control',
    description: `There is no control ${req.method} ${req.baseUrl}${req.path}; docs/sandbox.md lists them all.`,
    code: 'unknown_control',
  })
}

/** Flushes before `end`, which ends every answer. */
function flushFirst(flush: () => void): RequestHandler {
  return (_req, res, next) => {
    const end = res.end.bind(res)
    // The compiler cannot see that the overloads of `end` are passed through.
    res.end = ((...given: Parameters<typeof end>) => {
      flush()
      return end(...given)
    }) as typeof res.end
    next()
  }
}

/** Express recognises an error handler by its four parameters. */
const answerError: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  if (cutIfBegun(res)) return
  const refusal = refusalOf(error)
  noteRefusal(res, refusal)
  refundUnits(res)
  res.status(refusal.httpStatus)
  if (refusal.retryAfterSeconds !== undefined) res.set('Retry-After', String(refusal.retryAfterSeconds))
  // `unexpected_error` is not documented for PAs (specification, Status codes and codes), so a PA failure has no documented shape.
  if (refusal.httpStatus === 500 && req.path.startsWith('/prior-authorization'))
    res.type('text/plain').send('Internal Server Error')
  else res.json(refusal.body)
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const status = statusOf(error) ?? 500
  if (status >= 500)
    return codedRefusal(500, {
      title: 'Unexpected error',
      description: 'The sandbox failed; this is a bug in the sandbox.',
      code: 'unexpected_error',
    })
  // The documents have 422 only for unreadable requests, and no status for oversized ones.
  if (status === 413) return detailRefusal(status, 'The request is too large.')
  return validationRefusal([bodyFaultOf(error, status)])
}

/** Why Express or its body parser could not read a request. Their own messages quote it. */
function bodyFaultOf(error: unknown, status: number): RequestFault {
  if (error instanceof URIError) return { loc: ['path'], msg: 'must be percent-encoded UTF-8', type: 'value_error' }
  if (status === 415)
    return { loc: ['header'], msg: 'must name a known encoding and charset of the body', type: 'value_error' }
  const msg = error instanceof JsonUnbounded ? error.message : 'JSON decode error'
  return { loc: ['body'], msg, type: 'json_invalid' }
}
