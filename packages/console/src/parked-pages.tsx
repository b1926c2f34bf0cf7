import { type Request, type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import type { Work, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import { queryOf } from '@pawl/base/pages/query'
import { readActor } from './actor.ts'
import { contract } from './contract/contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { State, WorkFilter } from './contract/filter.ts'
import type { Discard } from './discard.ts'
import { selectedBy } from './filtered-work.ts'
import { MessagePage } from './pages/message.tsx'
import { ParkedPage } from './pages/parked.tsx'
import { addressOfResource } from './pages/words.ts'
import { sendPage } from './render.tsx'
import type { Retry } from './retrying.ts'
import { invalid, RequestRefused } from './serve.ts'

export interface ParkedPagesDeps {
  ledger: Pick<WorkViews, 'workGroups' | 'work'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  retry: Retry
  discard: Discard
  /** Parses the forms of these pages. */
  requireOwnForm: RequestHandler
  now: () => number
}

/** Pieces of work on one page. */
const pageSize = 50

const Cursor = z.object({
  state: State,
  handler: z.string(),
  system: z.string(),
  errorCode: z.string(),
  failureId: z.int(),
  resourceId: z.string(),
})

const Size = z.coerce.number().int().min(0).optional().catch(undefined)
/** What was done just before. */
const Done = z.object({ retried: Size, left: Size, discarded: Size })

/** Pages of failed and parked work by cause, with a retry of the work that matches a filter. */
export function createParkedPages(deps: ParkedPagesDeps): Router {
  const { ledger, handlerNames, retry, discard, requireOwnForm, now } = deps
  const router = Router()

  router.get('/parked', async (req, res) => {
    // An address that is no filter shows all.
    const filter = WorkFilter.catch({}).parse(givenIn(req.query))
    const all = await ledger.workGroups()
    const selected = selectedBy(filter)
    const { rows, next } = await ledger.work(selected, pageSize, readCursor(Cursor, req.query.after))
    const matching =
      filter.resource === undefined ? all.filter((group) => hasKey(selected, group)) : rows.map(groupOfOne)
    sendPage(
      res,
      <ParkedPage
        filter={filter}
        all={all}
        matching={matching}
        retriable={matching.filter(({ handler }) => handlerNames.includes(handler))}
        work={rows}
        done={Done.parse(req.query)}
        next={next && `/parked${queryOf({ ...filter, after: writeCursor(Cursor.parse(next)) })}`}
        now={now()}
      />,
    )
  })

  router.post('/parked/retry', requireOwnForm, async (req, res) => {
    await act(res, 'Nothing was retried', async () => {
      const parsed = contract.retry.body.safeParse(readForm(req))
      if (!parsed.success) throw invalid(contract.retry)
      const { retried, left } = await retry(parsed.data, readActor(req))
      const { resource } = parsed.data
      if (resource !== undefined) return `${addressOfResource(resource)}?retried=yes`
      return `/parked${queryOf({ ...WorkFilter.parse(parsed.data), retried: String(retried), left: String(left) })}`
    })
  })

  router.post('/parked/discard', requireOwnForm, async (req, res) => {
    await act(res, 'Nothing was discarded', async () => {
      const parsed = contract.discard.body.safeParse(readForm(req))
      if (!parsed.success) throw invalid(contract.discard)
      const { discarded, inWork } = await discard(parsed.data, readActor(req))
      const done = { discarded: String(discarded.length), left: String(inWork.length) }
      return `/parked${queryOf({ ...WorkFilter.parse(parsed.data), ...done })}`
    })
  })
  return router
}

/** Answers with the page to which the act leads, or with why it was refused. */
async function act(res: Response, title: string, run: () => Promise<string>): Promise<void> {
  try {
    res.redirect(303, await run())
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error
    sendPage(res, <MessagePage title={title} at="/parked" message={error.message} />, error.status)
  }
}

/** Fields that were filled in. */
function givenIn(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

/** A form as the body of its route: without a filter, it is about all work that the page showed. */
function readForm(req: Request): object {
  // A parsed form; `requireOwnForm` checked that it exists.
  const { token: _token, limit, up_to, ...fields } = givenIn(req.body as object)
  const isOfAll = !Object.keys(WorkFilter.shape).some((name) => Object.hasOwn(fields, name))
  return {
    ...fields,
    ...(isOfAll && { all: true }),
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(up_to !== undefined && { up_to: Number(up_to) }),
  }
}

function groupOfOne({ state, handler, system, errorCode, failureId, failedAt, errorMessage }: Work): WorkGroup {
  const times = { newest: failureId, newestAt: failedAt, oldestAt: failedAt }
  return { state, handler, system, errorCode, count: 1, ...times, message: errorMessage }
}
