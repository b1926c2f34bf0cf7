import { Router } from 'express'
import type { Page } from '@pawl/ledger/views/lists'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { actionsFor } from 'pawl-client/schemas/waits-for-people'
import { contract } from './contract/contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { WaitingCursor, WaitingKind } from './contract/resource-contract.ts'
import { queryOf } from '@pawl/base/pages/query'
import { type QueuedWork, WorkQueuePage } from './pages/work-queue.tsx'
import { sendPage } from './render.tsx'
import type { LeftOutViews } from '@pawl/ledger/hot/left-out'
import type { PeopleViews } from '@pawl/ledger/views/waiting-for-people'
import { serve } from './serve.ts'

export interface WorkQueueDeps {
  ledger: Pick<PeopleViews, 'waitingForPeople'> & Pick<LeftOutViews, 'leftOutFiles'>
  now: () => number
}

/** Resources on one page. */
const pageSize = 50

/** How long a file that a chart could not hold is listed, in milliseconds. */
const filesListedMs = 30 * 86_400_000

/** The work queue, as a page and as JSON. */
export function createWorkQueuePages({ ledger, now }: WorkQueueDeps): Router {
  /** With a kind, a page may be short but not the last: only a limited number of rows is read. */
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
  serve(router, contract.workQueue, async ({ query: { kind, limit, after } }) => {
    const { rows, next } = await readQueue(kind, limit, after)
    return { waiting: rows, cursor: next && writeCursor(next) }
  })
  router.get('/work-queue', async (req, res) => {
    const only = WaitingKind.optional().catch(undefined).parse(req.query.kind)
    const { rows, next } = await readQueue(only, pageSize, readCursor(WaitingCursor, req.query.after))
    const address = next && `/work-queue${queryOf({ kind: only, after: writeCursor(next) })}`
    const at = now()
    const files = await ledger.leftOutFiles(at - filesListedMs, 2 * pageSize)
    sendPage(res, <WorkQueuePage kind={only} waiting={rows} next={address} files={files} now={at} />)
  })
  return router
}
