import { type RequestHandler, type Response, Router } from 'express'
import { z } from 'zod'
import { hasKey } from '@pawl/ledger/hot/work-filter'
import { readActor } from './actor.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { Reason, reasonLength } from './contract/reason.ts'
import { queryOf } from '@pawl/base/pages/query'
import { filterOf, keyOf, stampOfGroups, totalOf, trialSize } from './failure-filter.ts'
import { State } from './contract/work-contract.ts'
import { selectedBy, WorkQuery } from './selected-work.ts'
import { MessagePage } from './pages/message.tsx'
import { ParkedPage } from './pages/parked.tsx'
import { ChangedPage, DryRunPage, type GroupProgress, JobPage } from './pages/retrying.tsx'
import { sendPage } from './render.tsx'
import type { RetryJob, RetryJobs } from './retry-jobs.ts'
import type { WorkGroup } from '@pawl/ledger/views/work-groups'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import type { WorkViews } from '@pawl/ledger/views/read-work'

export interface ParkedPagesDeps {
  ledger: Pick<WorkViews, 'workGroups' | 'work'> & Pick<FailedWork, 'discard' | 'retryWork'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  jobs: RetryJobs
  /** Number of due resources; `undefined` during the first count. */
  readDue: () => Promise<number | undefined>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
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

/** The filter of a page, with its groups as they were shown. */
const ShownForm = WorkQuery.extend({ count: z.coerce.number().int().min(0), stamp: z.string() })
const RetryForm = ShownForm.extend({ do: z.enum(['retry', 'trial', 'dry_run']) })
const DiscardForm = ShownForm.extend({ reason: Reason })

const Piece = z.object({ handler: z.string(), resourceId: z.string() })
const TickedForm = WorkQuery.extend({
  piece: z.union([z.string().transform((one) => [one]), z.array(z.string()).max(pageSize)]),
}).and(
  z.discriminatedUnion('do', [
    z.object({ do: z.literal('retry') }),
    z.object({ do: z.literal('discard'), reason: Reason }),
  ]),
)

const Size = z.coerce.number().int().min(0).optional().catch(undefined)
const Done = z.object({ retry: Size, discard: Size })

function doneOf({ retry, discard }: z.infer<typeof Done>): string | undefined {
  if (retry !== undefined) return `${retry} of the ticked were made due.`
  return discard === undefined ? undefined : `${discard} of the ticked were discarded; work in a run is left.`
}

/** Pages of failed and parked work by cause, with a retry of all work that matches a filter. */
export function createParkedPages(deps: ParkedPagesDeps): Router {
  const { ledger, handlerNames, jobs, readDue, enqueue, requireOwnForm, now } = deps
  const router = Router()
  const groupsOf = (all: readonly WorkGroup[], filter: WorkQuery) =>
    all.filter((group) => hasKey(selectedBy(filter), group))
  const retriableOf = (groups: readonly WorkGroup[]) => groups.filter(({ handler }) => handlerNames.includes(handler))

  /** The groups of a form; `undefined`, after an answer that says so, if they changed since they were shown. */
  async function readShown(
    res: Response,
    form: z.infer<typeof ShownForm>,
    choose: (groups: readonly WorkGroup[]) => WorkGroup[],
  ): Promise<WorkGroup[] | undefined> {
    const filter = WorkQuery.parse(form)
    const groups = choose(groupsOf(await ledger.workGroups(), filter))
    if (groups.length > 0 && stampOfGroups(groups) === form.stamp) return groups
    sendPage(res, <ChangedPage filter={filter} shown={form.count} now={totalOf(groups)} />, 409)
    return undefined
  }

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
        done={doneOf(Done.parse(req.query))}
        next={next && `/parked${queryOf({ ...filter, after: writeCursor(Cursor.parse(next)) })}`}
        now={now()}
      />,
    )
  })

  router.post('/parked/discard', requireOwnForm, async (req, res) => {
    const form = DiscardForm.safeParse(req.body)
    if (!form.success) {
      const message = `Say why, in ${reasonLength}; open Failing and parked again.`
      sendPage(res, <MessagePage title="Nothing was discarded" at="/parked" message={message} />, 400)
      return
    }
    const groups = await readShown(res, form.data, (all) => all.filter(({ state }) => state !== 'waiting'))
    if (groups === undefined) return
    const job = jobs.discard(groups, { actor: readActor(req), reason: form.data.reason })
    res.redirect(303, `/parked/jobs/${job.id}`)
  })

  router.post('/parked/ticked', requireOwnForm, async (req, res) => {
    const form = TickedForm.safeParse(req.body)
    if (!form.success) {
      const message = `Tick at least one row; to discard, say why in ${reasonLength}.`
      sendPage(res, <MessagePage title="Nothing was changed" at="/parked" message={message} />, 400)
      return
    }
    const { piece, ...chosen } = form.data
    const pieces = piece.flatMap((each) => readCursor(Piece, each) ?? [])
    const actor = readActor(req)
    let changed = 0
    if (chosen.do === 'discard') {
      const results = await ledger.discard(pieces, { actor, reason: chosen.reason })
      changed = results.filter((result) => result === 'discarded').length
    } else
      for (const { handler, resourceId } of pieces.filter(({ handler }) => handlerNames.includes(handler)))
        changed += (await ledger.retryWork({ resourceId, handlerNames: [handler] }, { actor })).length
    for (const { resourceId } of pieces) enqueue(resourceId)
    res.redirect(303, `/parked${queryOf({ ...WorkQuery.parse(form.data), [chosen.do]: String(changed) })}`)
  })

  router.post('/parked/retry', requireOwnForm, async (req, res) => {
    const form = RetryForm.safeParse(req.body)
    if (!form.success) {
      const message = 'The form could not be read: open Failing and parked again.'
      sendPage(res, <MessagePage title="Nothing was retried" at="/parked" message={message} />, 400)
      return
    }
    const groups = await readShown(res, form.data, retriableOf)
    if (groups === undefined) return
    if (form.data.do === 'dry_run') {
      const filter = WorkQuery.parse(form.data)
      const { rows } = await ledger.work({ ...selectedBy(filter), handlerNames }, pageSize)
      sendPage(res, <DryRunPage filter={filter} groups={groups} first={rows} />)
      return
    }
    const limit = form.data.do === 'trial' ? trialSize : undefined
    res.redirect(303, `/parked/jobs/${jobs.start(groups, { actor: readActor(req) }, limit).id}`)
  })

  router.get('/parked/jobs/:id', async (req, res) => {
    const job = jobs.find(req.params.id)
    if (job === undefined) {
      const message = 'This process knows no such retry: it was restarted, or another process has it.'
      sendPage(res, <MessagePage title="Not known" at="/parked" message={message} />, 404)
      return
    }
    const rest = restOf(job)
    const others = job.isTrial ? retriableOf(groupsOf(await ledger.workGroups(), rest)) : []
    sendPage(
      res,
      <JobPage job={job} progress={await readProgress(job)} due={await readDue()} rest={rest} others={others} />,
    )
  })

  /** The narrowest filter that has all groups of a retry. */
  function restOf({ groups: [first, ...others] }: RetryJob): WorkQuery {
    if (first === undefined) return {}
    const own = Object.entries(filterOf(first))
    return WorkQuery.parse(
      Object.fromEntries(
        own.filter(([name, value]) => others.every((group) => value === filterOf(group)[name as keyof WorkQuery])),
      ),
    )
  }

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
