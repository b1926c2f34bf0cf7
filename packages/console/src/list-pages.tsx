import { Router } from 'express'
import { z } from 'zod'
import { attemptResults } from '@pawl/ledger/tables'
import type { CountViews } from '@pawl/ledger/views/counts'
import type { ListViews } from '@pawl/ledger/views/lists'
import type { RunViews } from '@pawl/ledger/views/list-runs'
import { queryOf, Word } from '@pawl/base/pages/query'
import type { Alerts } from './alerts/alerts.ts'
import { EventState } from './contract/resource-contract.ts'
import { Source } from './contract/story.ts'
import { refusedWithinMs } from './faults/refusal-checks.ts'
import { AlertsPage } from './pages/alerts.tsx'
import { EventPage } from './pages/event.tsx'
import { EventsPage } from './pages/events.tsx'
import { MessagePage } from './pages/message.tsx'
import { RejectionsPage } from './pages/rejections.tsx'
import { retriableOf } from './pages/retry-parked.tsx'
import { RunsPage } from './pages/runs.tsx'
import { noSuchEvent, readEvent } from './read-event.ts'
import { startOf, Within } from './ranges.ts'
import { sendPage } from './render.tsx'

export interface ListPagesDeps {
  ledger: Parameters<typeof readEvent>[0] &
    Pick<ListViews, 'listRejections'> &
    Pick<RunViews, 'listRuns'> &
    Pick<CountViews, 'refused'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  alerts: Pick<Alerts, 'read' | 'list'>
  now: () => number
}

/** Rows on one page. */
const pageSize = 50

const Row = z.coerce.number().int().min(0).optional().catch(undefined)
const EventsQuery = z.object({
  type: Word,
  source: Source.optional().catch(undefined),
  state: EventState.optional().catch(undefined),
  resource: Word,
  within: Within,
  follow: z.literal('on').optional().catch(undefined),
  before: Row,
})
const RunsQuery = z.object({
  handler: Word,
  result: z.enum(attemptResults).optional().catch(undefined),
  resource: Word,
  within: Within,
  before: Row,
})

/** Pages of events, runs, rejections and alerts, the newest first. */
export function createListPages({ ledger, handlerNames, alerts, now }: ListPagesDeps): Router {
  const router = Router()

  router.get('/events', async (req, res) => {
    const { before, follow, within, resource: resourceId, ...filter } = EventsQuery.parse(req.query)
    const since = within && startOf(within, now())
    const { rows, next } = await ledger.listEvents({ ...filter, resourceId, since, before }, pageSize)
    const shown = { ...filter, within, resource: resourceId }
    const address = olderAt('/events', shown, next)
    sendPage(res, <EventsPage filter={shown} isFollowing={follow !== undefined} events={rows} next={address} />)
  })

  router.get('/events/:id', async (req, res) => {
    const event = await readEvent(ledger, req.params.id)
    if (event === undefined)
      return sendPage(res, <MessagePage title="Not known" at="/events" message={noSuchEvent} />, 404)
    const { resourceId, receivedAt: since, handlers } = event
    const runs = resourceId === undefined ? [] : (await ledger.listRuns({ resourceId, since }, pageSize)).rows
    sendPage(res, <EventPage event={event} runs={runs} retriable={retriableOf(handlers, handlerNames)} />)
  })

  router.get('/runs', async (req, res) => {
    const { before, resource, within, ...filter } = RunsQuery.parse(req.query)
    const since = within && startOf(within, now())
    const { rows, next } = await ledger.listRuns({ ...filter, resourceId: resource, since, before }, pageSize)
    const shown = { ...filter, within, resource }
    const address = olderAt('/runs', shown, next)
    sendPage(res, <RunsPage filter={shown} handlerNames={handlerNames} runs={rows} next={address} />)
  })

  router.get('/rejections', async (req, res) => {
    const reason = Word.parse(req.query.reason)
    const within = Within.parse(req.query.within)
    const filter = { reason, since: within && startOf(within, now()), before: Row.parse(req.query.before) }
    const { rows, next } = cut(await ledger.listRejections(filter, pageSize + 1))
    // An unknown reason in an address could be any text.
    const shown = reason === undefined || rows.length > 0 ? reason : 'an unknown reason'
    sendPage(
      res,
      <RejectionsPage
        reason={shown}
        within={within}
        refused={await ledger.refused(refusedWithinMs)}
        rejections={rows}
        next={olderAt('/rejections', { reason, within }, next)}
      />,
    )
  })

  router.get('/alerts', async (req, res) => {
    const { open, targets } = await alerts.read()
    const { rows, next } = cut(await alerts.list(pageSize + 1, Row.parse(req.query.before)))
    const history = rows.filter(({ closedAt }) => closedAt !== undefined)
    const address = olderAt('/alerts', {}, next)
    sendPage(res, <AlertsPage open={open} targets={targets} history={history} next={address} />)
  })
  return router
}

/** One page of rows that were read with one more, and the cursor for older ones. */
function cut<T extends { id: number }>(found: readonly T[]): { rows: T[]; next: number | undefined } {
  const rows = found.slice(0, pageSize)
  return { rows, next: found.length > pageSize ? rows.at(-1)?.id : undefined }
}

/** Address of the older rows of a list, if there are any. */
function olderAt(path: string, filter: Readonly<Record<string, string | undefined>>, next: number | undefined) {
  return next === undefined ? undefined : `${path}${queryOf({ ...filter, before: String(next) })}`
}
