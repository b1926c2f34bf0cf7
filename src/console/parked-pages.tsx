import { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { FailedWork, FailureGroup, Ledger } from '../ledger/ledger.ts'
import { readActor } from './actor.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { FailureFilter, filterGroups, queryOf, stampOf, totalOf } from './failure-filter.ts'
import { MessagePage } from './pages/message.tsx'
import { ParkedPage } from './pages/parked.tsx'
import { ChangedPage, DryRunPage, type GroupProgress, JobPage } from './pages/retrying.tsx'
import { sendPage } from './render.tsx'
import type { RetryJob, RetryJobs } from './retry-jobs.ts'

export interface ParkedPagesDeps {
  ledger: Pick<Ledger, 'failureGroups' | 'failedWork' | 'countFailedSince'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  jobs: RetryJobs
  /** Lets through what the forms of these pages send. */
  requireOwnForm: RequestHandler
  now: () => number
}

/** Work on one page. */
const pageSize = 50

const Cursor = z.strictObject({
  group: z.tuple([z.string(), z.string(), z.string(), z.string()]),
  failureId: z.int(),
  resourceId: z.string(),
})

const RetryForm = FailureFilter.extend({
  count: z.coerce.number().int().min(0),
  stamp: z.string(),
  do: z.enum(['retry', 'dry_run']),
})

/** What failed and is parked: by groups, with all that matches a filter to be retried at once. */
export function createParkedPages(deps: ParkedPagesDeps): Router {
  const { ledger, handlerNames, jobs, requireOwnForm, now } = deps
  const router = Router()
  const retriableOf = (groups: readonly FailureGroup[]) =>
    groups.filter(({ state, handler }) => state === 'parked' && handlerNames.includes(handler))

  router.get('/parked', async (req, res) => {
    const filter = FailureFilter.parse(req.query)
    const all = await ledger.failureGroups()
    const matching = filterGroups(all, filter)
    const { work, next } = await readPage(matching, readCursor(Cursor, req.query.after))
    sendPage(
      res,
      <ParkedPage
        filter={filter}
        all={all}
        matching={matching}
        retriable={retriableOf(matching)}
        work={work}
        next={next && `/parked${queryOf({ ...filter, after: next })}`}
        now={now()}
      />,
    )
  })

  /** One page of the work of these groups, one group after the other. */
  async function readPage(groups: readonly FailureGroup[], after: z.infer<typeof Cursor> | undefined) {
    const work: (FailedWork & { group: FailureGroup })[] = []
    const isAt = (group: FailureGroup) => JSON.stringify(keyOf(group)) === JSON.stringify(after?.group)
    for (const group of groups.slice(Math.max(0, groups.findIndex(isAt)))) {
      const room = pageSize + 1 - work.length
      if (room <= 0) break
      const found = await ledger.failedWork(group, room, isAt(group) ? after : undefined)
      work.push(...found.map((each) => ({ ...each, group })))
    }
    const shown = work.slice(0, pageSize)
    const last = shown.at(-1)
    if (last === undefined || work.length <= pageSize) return { work: shown, next: undefined }
    const { group, failureId, resourceId } = last
    return { work: shown, next: writeCursor({ group: keyOf(group), failureId, resourceId }) }
  }

  router.post('/parked/retry', requireOwnForm, async (req, res) => {
    const form = RetryForm.safeParse(req.body)
    if (!form.success) {
      const message = 'The form could not be read: open Failing and parked again.'
      sendPage(res, <MessagePage title="Nothing was retried" at="/parked" message={message} />, 400)
      return
    }
    const filter = FailureFilter.parse(form.data)
    const groups = retriableOf(filterGroups(await ledger.failureGroups(), filter))
    if (stampOf(groups) !== form.data.stamp || groups.length === 0) {
      sendPage(res, <ChangedPage filter={filter} shown={form.data.count} now={totalOf(groups)} />, 409)
    } else if (form.data.do === 'dry_run') {
      const { work } = await readPage(groups, undefined)
      sendPage(res, <DryRunPage filter={filter} groups={groups} first={work} />)
    } else res.redirect(303, `/parked/jobs/${jobs.start(groups, { actor: readActor(req) }).id}`)
  })

  router.get('/parked/jobs/:id', async (req, res) => {
    const job = jobs.find(req.params.id)
    if (job === undefined) {
      const message = 'This process knows no such retry: it was started again, or another process has it.'
      sendPage(res, <MessagePage title="Not known" at="/parked" message={message} />, 404)
      return
    }
    sendPage(res, <JobPage job={job} progress={await readProgress(job)} />)
  })

  async function readProgress(job: RetryJob): Promise<GroupProgress[]> {
    const progress: GroupProgress[] = []
    for (const group of job.groups) {
      const failedSince = await ledger.countFailedSince(group, group.newest)
      const all = await ledger.countFailedSince(group, -1)
      progress.push({ group, left: Math.max(0, all - failedSince), failedSince })
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

function keyOf({ state, handler, system, errorCode }: FailureGroup) {
  return [state, handler, system, errorCode] as const
}
