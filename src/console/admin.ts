import { createHash, timingSafeEqual } from 'node:crypto'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { PawlError } from '../errors.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'

export interface AdminDeps {
  ledger: Ledger
  /** How each system that pawl depends on stands. */
  readBreakers: () => Record<string, string>
  /** The systems that work waits for, with what is known of each. */
  readAway: () => readonly object[]
  registry: Registry
  /** Asked of every request where it is set (HTTP Basic, any user name). */
  password: string | undefined
  /** Has what is due to be polled looked at now, where this process works. */
  poll: () => void
  /** Makes resources due, known or not, by their names; resolves with their number. Throws PawlError for names that cannot be. */
  sync: (names: readonly string[]) => Promise<number>
  /** Has a worker take up what is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** One resource, one handler, or both; all of it only when said so: an empty body must not retry everything by accident. */
const RetryParked = z.union([
  z.strictObject({ all: z.literal(true) }),
  z
    .strictObject({ resource_id: z.string().min(1).optional(), handler: z.string().min(1).optional() })
    .refine((filter) => Object.keys(filter).length > 0),
])

/** Resources named at once. */
const namedLimit = 1_000

const Reconcile = z.union([
  z.strictObject({ since: z.iso.datetime({ offset: true }) }),
  z.strictObject({ resources: z.array(z.string().min(1)).min(1).max(namedLimit) }),
])

/** Parked work listed at once. */
const parkedLimit = 1_000

/** The admin listener's app: readiness, metrics, and the JSON API that the command line uses. It shows ids and codes, never content. */
export function createAdmin({
  ledger,
  readBreakers,
  readAway,
  registry,
  password,
  enqueue,
  poll,
  sync,
  log,
}: AdminDeps): Express {
  const app = express()
  app.use(helmet())
  app.use(password === undefined ? onlyLoopbackNames : requirePassword(password))
  app.use(express.json())

  app.get('/readyz', async (_req, res) => {
    res.json({ status: 'ready', ...(await ledger.counts()), breakers: readBreakers(), away: readAway() })
  })
  app.get('/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics())
  })
  app.get('/api/parked', async (_req, res) => {
    const parked = await ledger.parked(parkedLimit)
    const count = parked.length < parkedLimit ? parked.length : (await ledger.counts()).parked
    res.json({ parked, count })
  })
  app.post(['/api/parked/retry', '/api/parked/release'], async (req, res) => {
    const filter = RetryParked.safeParse(req.body)
    if (!filter.success) {
      const message = 'Send a JSON object with resource_id, handler or both, or with all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resource_id: resourceId, handler } = 'all' in filter.data ? {} : filter.data
    const retried = await ledger.retryParked({ resourceId, handler })
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, resource_id: resourceId }, 'parked work is due again')
    // `released` is what it was called before.
    res.json({ retried, released: retried })
  })
  app.post('/api/reconcile', async (req, res) => {
    const asked = Reconcile.safeParse(req.body)
    if (!asked.success) {
      const message = `Send a JSON object with since, an ISO 8601 date-time, or with resources, up to ${namedLimit} ids.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    if ('resources' in asked.data) {
      try {
        res.json({ resources: await sync(asked.data.resources) })
      } catch (error) {
        if (!(error instanceof PawlError)) throw error
        res.status(400).json({ error: { code: error.code, message: error.message } })
      }
      return
    }
    const since = Date.parse(asked.data.since)
    if (since > Date.now()) {
      res
        .status(400)
        .json({ error: { code: 'bad_request', message: 'since is in the future: send a moment in the past.' } })
      return
    }
    const count = await ledger.pollSoon(since)
    poll()
    log.info({ count }, 'reconciling')
    res.json({ resources: count })
  })
  app.get('/api/resources/:id', async (req, res) => {
    const resource = await ledger.resource(req.params.id)
    if (resource === undefined)
      res.status(404).json({ error: { code: 'not_found', message: 'No webhook spoke of it yet.' } })
    else res.json(resource)
  })
  app.use((_req, res) => {
    res
      .status(404)
      .json({ error: { code: 'not_found', message: 'The admin listener has /readyz, /metrics and /api/.' } })
  })
  app.use(answerFailure(log))
  return app
}

/** Without a password the listener is on loopback; a name that is not loopback's means that a web page reached it through the browser (DNS rebinding). */
const onlyLoopbackNames: RequestHandler = (req, res, next) => {
  if (['127.0.0.1', 'localhost', '::1', '[::1]'].includes(req.hostname)) next()
  else res.status(403).json({ error: { code: 'forbidden', message: 'Use the address 127.0.0.1.' } })
}

function requirePassword(password: string): RequestHandler {
  const expected = digest(password)
  return (req, res, next) => {
    const [scheme, credentials = ''] = (req.get('authorization') ?? '').split(' ', 2)
    const given = Buffer.from(credentials, 'base64').toString('utf8')
    const isRight = timingSafeEqual(digest(given.slice(given.indexOf(':') + 1)), expected)
    if (scheme?.toLowerCase() === 'basic' && isRight) next()
    else
      res
        .status(401)
        .set('www-authenticate', 'Basic realm="pawl"')
        .json({ error: { code: 'unauthorized' } })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function answerFailure(log: Log): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    // Express marks what the client did wrong, such as unreadable JSON, with its status.
    const status = error instanceof Error && 'status' in error && typeof error.status === 'number' ? error.status : 503
    if (status >= 500) log.error({ error, status, component: 'admin' }, 'admin request failed')
    if (status < 500) {
      res.status(status).json({ error: { code: 'bad_request', message: 'The request could not be read.' } })
      return
    }
    // What pawl raised itself says what to do.
    const { code, message } =
      error instanceof PawlError ? error : { code: 'unavailable', message: 'The ledger did not answer; see the log.' }
    res.status(status).json({ error: { code, message } })
  }
}
