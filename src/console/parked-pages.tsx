import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import { hasKey } from '../ledger/views/work-filter.ts'
import { readActor } from './actor.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { keyOf, queryOf, stampOf, totalOf } from './failure-filter.ts'
import { State } from './contract/work-contract.ts'
import { selectedBy, WorkQuery } from './selected-work.ts'
import { MessagePage } from './pages/message.tsx'
import { ParkedPage } from './pages/parked.tsx'
import { ChangedPage, DryRunPage, type GroupProgress, JobPage } from './pages/retrying.tsx'
import { sendPage } from './render.tsx'
import type { RetryJob, RetryJobs } from './retry-jobs.ts'
import type { WorkGroup } from '../ledger/views/work-groups.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface ParkedPagesDeps {
  ledger: Pick<Views, 'workGroups' | 'work'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  jobs: RetryJobs
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

const RetryForm = WorkQuery.extend({
  count: z.coerce.number().int().min(0),
  stamp: z.string(),
  do: z.enum(['retry', 'dry_run']),
})

/** Pages of failed and parked work by groups, with a retry of all work that matches a filter. */
export function createParkedPages(deps: ParkedPagesDeps): Router {
  const { ledger, handlerNames, jobs, requireOwnForm, now } = deps
  const router = Router()
  const groupsOf = (all: readonly WorkGroup[], filter: WorkQuery) =>
    all.filter((group) => hasKey(selectedBy(filter), group))
  const retriableOf = (groups: readonly WorkGroup[]) => groups.filter(({ handler }) => handlerNames.includes(handler))

  router.get('/parked', async (req, res) => {
    const filter = WorkQuery.parse(req.query)
    const all = await ledger.workGroups()
    const matching = groupsOf(all, filter)
    const { rows, next } = await ledger.work(selectedBy(filter), pageSize, readCursor(Cursor, req.query.after))
    sendPage(
      res,
      <ParkedPage
        filter={filter}
        all={all}
        matching={matching}
        retriable={retriableOf(matching)}
        work={rows}
        next={next && `/parked${queryOf({ ...filter, after: writeCursor(Cursor.parse(next)) })}`}
        now={now()}
      />,
    )
  })

  router.post('/parked/retry', requireOwnForm, async (req, res) => {
    const form = RetryForm.safeParse(req.body)
    if (!form.success) {
      const message = 'The form could not be read: open Failing and parked again.'
      sendPage(res, <MessagePage title="Nothing was retried" at="/parked" message={message} />, 400)
      return
    }
    const filter = WorkQuery.parse(form.data)
    const groups = retriableOf(groupsOf(await ledger.workGroups(), filter))
    if (stampOf(groups) !== form.data.stamp || groups.length === 0) {
      sendPage(res, <ChangedPage filter={filter} shown={form.data.count} now={totalOf(groups)} />, 409)
    } else if (form.data.do === 'dry_run') {
      const { rows } = await ledger.work({ ...selectedBy(filter), handlerNames }, pageSize)
      sendPage(res, <DryRunPage filter={filter} groups={groups} first={rows} />)
    } else res.redirect(303, `/parked/jobs/${jobs.start(groups, { actor: readActor(req) }).id}`)
  })

  router.get('/parked/jobs/:id', async (req, res) => {
    const job = jobs.find(req.params.id)
    if (job === undefined) {
      const message = 'This process knows no such retry: it was restarted, or another process has it.'
      sendPage(res, <MessagePage title="Not known" at="/parked" message={message} />, 404)
      return
    }
    sendPage(res, <JobPage job={job} progress={await readProgress(job)} />)
  })

  async function readProgress(job: RetryJob): Promise<GroupProgress[]> {
    const progress: GroupProgress[] = []
    for (const { retried, ...group } of job.groups) {
      const [since] = await ledger.workGroups({ ...keyOf(group), failedAfter: group.newest })
      progress.push({ group, left: Math.max(0, group.count - retried), failedSince: since?.count ?? 0 })
    }
    return progress
  }

  router.post('/parked/jobs/:id/cancel', requireOwnForm, (req, res) => {
    // A parameter of the path is one string.
    const id = String(req.params.id)
    jobs.cancel(id)
    res.redirect(303, `/parked/jobs/${encodeURIComponent(id)}`)
  })
  return router
}
