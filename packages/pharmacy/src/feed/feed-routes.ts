import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import express, { type Request, type Response, type Router } from 'express'
import { z } from 'zod'
import { describeError } from '@pawl/base/errors'
import type { FeedPage, FeedReader, ServingDeps } from '@pawl/connector/served'
import { formatNotices } from '../sftp/transfer-file.ts'
import type { TransferNotice } from '../transfer-notice.ts'
import type { IdentifyReader } from './feed-readers.ts'

interface FeedDeps extends Pick<ServingDeps, 'ledger' | 'stopping' | 'sampledLog'> {
  identify: IdentifyReader
  /** How often a waiting request looks for notices, in milliseconds. */
  lookEveryMs?: number
}

/** Maximum notices of one answer. */
export const maxPage = 500
/** Maximum seconds for which a request waits for notices. */
const maxWait = 30
/** Maximum requests of one pharmacy that wait at once, per process. */
const maxWaiting = 10

const wholeUpTo = (max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.number().max(max))
const Query = z.strictObject({
  after: wholeUpTo(Number.MAX_SAFE_INTEGER).default(0),
  limit: wholeUpTo(maxPage).pipe(z.number().min(1)).default(100),
  wait: wholeUpTo(maxWait).default(0),
  ncpdp_id: z.string().optional(),
  format: z.enum(['json', 'csv']).optional(),
})
type Query = z.infer<typeof Query>

/** The faults of a query, by parameter. */
const rules: Readonly<Record<string, string>> = {
  after: 'after must be the number that next of the page before had, or 0',
  limit: `limit must be a whole number from 1 to ${maxPage}`,
  wait: `wait must be whole seconds from 0 to ${maxWait}`,
  ncpdp_id: 'ncpdp_id may come once',
  format: 'format must be json or csv',
}

/** The feed of transfers that pharmacies read, at `/pharmacy/transfers` of the public listener (docs/pharmacy.md). */
export function createFeedRoutes({ ledger, identify, stopping, sampledLog, lookEveryMs = 1_000 }: FeedDeps): Router {
  /** Requests that wait, by pharmacy. */
  const waiting = new Map<string, number>()
  const waits = new Set<AbortController>()
  stopping.addEventListener('abort', () => {
    for (const each of waits) each.abort()
  })

  /** The pharmacy of the request; without one, answers with the refusal. */
  function readerOf(req: Request, res: Response): FeedReader | undefined {
    const found = identify(req)
    if ('name' in found) return found
    if ('retryAfterSeconds' in found) {
      res.set('retry-after', String(found.retryAfterSeconds))
      refuse(res, 429, 'too_many_wrong_keys', `Too many wrong keys: wait ${found.retryAfterSeconds} s, then try again.`)
    } else {
      res.set('www-authenticate', 'Bearer')
      const message =
        found.refused === 'missing'
          ? 'Send the key that you were given as Authorization: Bearer <key>.'
          : 'No pharmacy has this key: compare it with the one that you were given.'
      refuse(res, 401, `key_${found.refused}`, message)
    }
    return undefined
  }

  /** The next page, once it has notices or the wait ends. */
  async function readPage(
    reader: FeedReader,
    { after, limit, wait }: Query,
    req: Request,
  ): Promise<FeedPage | 'purged' | 'unknown' | 'too_many'> {
    const read = () => ledger.feed({ readers: reader.ncpdpIds, after, limit })
    const found = await read()
    if (wait === 0 || typeof found === 'string' || found.notices.length > 0) return found
    const count = waiting.get(reader.name) ?? 0
    if (count >= maxWaiting) return 'too_many'
    waiting.set(reader.name, count + 1)
    const over = new AbortController()
    waits.add(over)
    req.res?.once('close', () => over.abort())
    const endsAt = performance.now() + wait * 1_000
    try {
      let page: Awaited<ReturnType<typeof read>> = found
      while (typeof page !== 'string' && page.notices.length === 0) {
        const leftMs = endsAt - performance.now()
        if (leftMs <= 0 || stopping.aborted || over.signal.aborted) break
        await sleep(Math.min(lookEveryMs, leftMs), undefined, { signal: over.signal }).catch(() => {})
        page = await read()
      }
      return page
    } finally {
      waits.delete(over)
      waiting.set(reader.name, (waiting.get(reader.name) ?? 1) - 1)
    }
  }

  async function list(req: Request, res: Response): Promise<void> {
    const reader = readerOf(req, res)
    if (reader === undefined) return
    const parsed = Query.safeParse(req.query)
    if (!parsed.success) {
      const names = parsed.error.issues.flatMap((issue) => ('keys' in issue ? issue.keys : issue.path.slice(0, 1)))
      const faults = [
        ...new Set(
          names.map((name) => rules[String(name)] ?? 'the parameters are after, limit, wait, ncpdp_id and format'),
        ),
      ]
      return refuse(res, 400, 'bad_query', `Fix the query: ${faults.join('; ')}.`)
    }
    const query = parsed.data
    const { ncpdp_id: ncpdpId, after } = query
    if (ncpdpId !== undefined && !reader.ncpdpIds.includes(ncpdpId))
      return refuse(res, 403, 'not_your_pharmacy', 'Your key is not for this ncpdp_id: leave it out, or have it added.')
    const ncpdpIds = ncpdpId === undefined ? reader.ncpdpIds : [ncpdpId]
    const page = await readPage({ ...reader, ncpdpIds }, query, req)
    if (page === 'purged')
      return refuse(
        res,
        410,
        'notices_deleted',
        `Notices after ${after} were deleted when their time was over. Read from after=0, which begins with the oldest that is kept, and skip notices whose id you have.`,
      )
    if (page === 'unknown')
      return refuse(
        res,
        410,
        'number_unknown',
        `The feed never came to ${after}: it began anew. Read from after=0, and skip notices whose id you have.`,
      )
    if (page === 'too_many') {
      res.set('retry-after', '5')
      return refuse(
        res,
        429,
        'too_many_waiting',
        `At most ${maxWaiting} requests may wait at once: end one, or leave wait out.`,
      )
    }
    const { notices, hasMore } = page
    const next = notices.at(-1)?.sequence ?? after
    const format = query.format ?? (req.accepts(['json', 'text/csv']) === 'text/csv' ? 'csv' : 'json')
    const state = createHash('sha256').update([format, next, hasMore, ...notices.map(({ id }) => id)].join(' '))
    const etag = `"${state.digest('base64url').slice(0, 27)}"`
    res.set({
      etag,
      'cache-control': 'private, no-cache',
      vary: 'accept, authorization',
      'next-after': String(next),
      link: `</pharmacy/transfers?${new URLSearchParams({ ...onlyTexts(req.query), after: String(next) }).toString()}>; rel="next"`,
    })
    if (namesTag(req.get('if-none-match'), etag)) return void res.status(304).end()
    if (res.destroyed) return
    // Recorded before any notice is handed out; HEAD hands out none.
    if (notices.length > 0 && req.method !== 'HEAD') await ledger.noteFeedRead(reader, notices)
    if (format === 'csv') {
      // Written by tellTransfer.
      const parsedNotices = notices.map(({ text }) => JSON.parse(text) as TransferNotice)
      res.type('text/csv').send(parsedNotices.length === 0 ? '' : formatNotices(parsedNotices, 'csv'))
    } else
      res
        .type('json')
        .send(`{"next":${next},"more":${hasMore},"notices":[${notices.map(({ text }) => text).join(',')}]}`)
  }

  async function acknowledge(req: Request, res: Response): Promise<void> {
    const reader = readerOf(req, res)
    if (reader === undefined) return
    const id = String(req.params['id'])
    const found = await ledger.acknowledge(reader, id)
    if (found === 'unknown')
      return refuse(
        res,
        404,
        'notice_unknown',
        'No notice to you has this id, or it was deleted long ago: take the id of a notice, not of its PA.',
      )
    if (found === 'gone')
      return refuse(res, 410, 'notice_deleted', 'This notice was deleted, and with it who has it: do nothing more.')
    res.json({ id, acknowledged_at: new Date(found.at).toISOString() })
  }

  /** Ledger failures are temporary: a client that retries loses nothing. */
  const answered = (work: (req: Request, res: Response) => Promise<void>) => async (req: Request, res: Response) => {
    try {
      await work(req, res)
    } catch (error) {
      sampledLog.error({ component: 'feed', error, reason: describeError(error).code }, 'the feed could not be read')
      if (res.headersSent) return
      res.removeHeader('etag')
      res.set('retry-after', '5')
      refuse(res, 503, 'unavailable', 'The feed cannot be read at the moment: try again.')
    }
  }
  const only = (methods: string) => (_req: Request, res: Response) => {
    res.set('allow', methods)
    refuse(res, 405, 'method_not_allowed', `Here is ${methods}.`)
  }

  const router = express.Router()
  router.route('/pharmacy/transfers').get(answered(list)).all(only('GET, HEAD'))
  router.route('/pharmacy/transfers/:id/acknowledgement').put(answered(acknowledge)).all(only('PUT'))
  return router
}

function refuse(res: Response, status: number, code: string, message: string): void {
  res.status(status).json({ error: { code, message } })
}

/** Compared here, since Express also heeds the no-cache that clients add on their own. */
function namesTag(given: string | undefined, etag: string): boolean {
  return given?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag) === true
}

function onlyTexts(query: Request['query']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
}
