import { Router } from 'express'
import { z } from 'zod'
import { driftKinds } from '../service/schemas/drift.ts'
import type { ResourceKind } from '../service/schemas/kinds.ts'
import { actionsFor } from '../service/schemas/waits-for-people.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { queryOf } from './failure-filter.ts'
import { DriftPage } from './pages/drift.tsx'
import { type QueuedWork, WorkQueuePage } from './pages/work-queue.tsx'
import { sendPage } from './render.tsx'
import type { Page } from '../ledger/views/lists.ts'
import type { WaitingCursor } from '../ledger/views/waiting-for-people.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface QueueAndDriftDeps {
  ledger: Pick<Views, 'waitingForPeople' | 'drift'>
  now: () => number
}

/** Resources on one page. */
const pageSize = 50

const Cursor = z.strictObject({ since: z.number(), id: z.string() })
const kind = z.enum(['prior_authorization', 'benefit_verification'])
const Queued = z.object({
  kind: kind.optional(),
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(pageSize),
})

/** What waits for people and what the catalogue does not know, as pages and as JSON (GET /api/work-queue and /api/drift). */
export function createQueueAndDrift({ ledger, now }: QueueAndDriftDeps): Router {
  /** Of one kind, a page may be short and yet go on: only so much is looked at for it. */
  async function readQueue(
    only: ResourceKind | undefined,
    limit: number,
    after: WaitingCursor | undefined,
  ): Promise<Page<QueuedWork, WaitingCursor>> {
    const { rows, next } = await ledger.waitingForPeople(limit, after)
    const wanted = rows.filter((row) => only === undefined || row.kind === only)
    return { rows: wanted.map((row) => ({ ...row, actions: actionsFor(row.kind, row.reason) })), next }
  }

  const router = Router()
  router.get('/api/work-queue', async (req, res) => {
    const query = Queued.safeParse(req.query)
    const after = query.success ? readCursor(Cursor, query.data.after) : undefined
    if (!query.success || (query.data.after !== undefined && after === undefined)) {
      const message = `kind is ${kind.options.join(' or ')}; after is what the last answer gave; limit is from 1 to 1000.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { rows, next } = await readQueue(query.data.kind, query.data.limit, after)
    res.json({ waiting: rows, cursor: next && writeCursor(next) })
  })
  router.get('/api/drift', async (_req, res) => {
    res.json(await ledger.drift())
  })
  router.get('/work-queue', async (req, res) => {
    const only = kind.optional().catch(undefined).parse(req.query.kind)
    const { rows, next } = await readQueue(only, pageSize, readCursor(Cursor, req.query.after))
    const address = next && `/work-queue${queryOf({ kind: only, after: writeCursor(next) })}`
    sendPage(res, <WorkQueuePage kind={only} waiting={rows} next={address} now={now()} />)
  })
  router.get('/drift', async (req, res) => {
    const only = z.enum(driftKinds).optional().catch(undefined).parse(req.query.kind)
    const { drift, leftOut } = await ledger.drift()
    const shown = drift.filter((each) => only === undefined || each.kind === only)
    sendPage(res, <DriftPage kind={only} drift={shown} leftOut={leftOut} />)
  })
  return router
}
