import express, { type RequestHandler, Router } from 'express'
import { z } from 'zod'
import type { Alerts } from './alerts/alerts.ts'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import { attemptResults } from '@pawl/ledger/tables'
import type { Drift } from 'pawl-client/events/drift-seen'
import type { Views } from '@pawl/ledger/views/create-views'
import { Kind, Source, type Story, StoryCursor } from './contract/story.ts'
import { isOwnForm } from './access/same-origin.ts'
import { readActor } from './actor.ts'
import { assets } from './console-assets.ts'
import { causesOf, isAbout } from './causes.ts'
import { createAskPages } from './ask-pages.tsx'
import type { Syncing } from './sync-now.ts'
import { createErasePages } from './erase-pages.tsx'
import type { Erasing } from './erasure.ts'
import { createAuditPages } from './audit-pages.tsx'
import type { AuditedReading } from './audited-reading.ts'
import { ResourceCursor } from './contract/resource-contract.ts'
import { readCursor, writeCursor } from './contract/cursor.ts'
import { queryOf, Word } from '@pawl/base/pages/query'
import { totalOf } from './filtered-work.ts'
import { isAboutUnheard } from './verdict/missed-cases.ts'
import { createReadOverview, type OverviewDeps, statesOf } from './overview-reading.ts'
import { AlertsPage } from './pages/alerts.tsx'
import { EventsPage } from './pages/events.tsx'
import { HandlersPage } from './pages/handlers.tsx'
import { MessagePage } from './pages/message.tsx'
import { Overview, OverviewPage } from './pages/overview.tsx'
import { RejectionsPage } from './pages/rejections.tsx'
import { RunsPage } from './pages/runs.tsx'
import { ResourcePage } from './pages/resource.tsx'
import { FoundPage, ResourcesPage } from './pages/resources.tsx'
import { SettingsPage, type SettingSource } from './pages/settings.tsx'
import { createHelpPages } from './help-pages.tsx'
import { createHistoryPages } from './history-pages.tsx'
import type { Discard } from './discard.ts'
import type { Retry } from './retrying.ts'
import { createPausePages, AskedTarget } from './pause-pages.tsx'
import { allWork, type Pausing, isSameTarget } from './pausing.ts'
import type { Probe } from './probing.ts'
import { createWorkQueuePages } from './work-queue-pages.tsx'
import { createParkedPages } from './parked-pages.tsx'
import { sendPage } from './render.tsx'
import { sinceOf, Within } from './ranges.ts'
import { createReportPages } from './report-pages.tsx'
import { refusedWithinMs } from './refusal-checks.ts'
import { createStartPages } from './start-pages.tsx'
import type { Starting } from './starting.ts'
import { RequestRefused } from './serve.ts'

export interface PagesDeps extends OverviewDeps {
  ledger: Views & Pauses & AuditTrail
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  retry: Retry
  discard: Discard
  pausing: Pausing
  probe: Probe
  starting: Starting
  settings: readonly SettingSource[]
  /** What this process met that the catalogue does not know. */
  readDrift: () => readonly Drift[]
  alerts: Pick<Alerts, 'read' | 'list' | 'last' | 'test'>
  read: AuditedReading
  syncing: Syncing
  erasing: Erasing
  /** Aborts when the process stops. */
  stopping: AbortSignal
  now?: () => number
}

/** Rows on one page. */
const pageSize = 50
/** Entries of a story on one page. */
const storySize = 100

const Row = z.coerce.number().int().min(0).optional().catch(undefined)
const EventsQuery = z.object({
  type: Word,
  source: Source.optional().catch(undefined),
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

const ResumedQuery = AskedTarget.extend({
  resumed: z.coerce.number().int().min(0),
})

const NamedQuery = z.object({ named: z.coerce.number().int().min(1).optional().catch(undefined) })
const AskedQuery = z.object({ asked: z.string(), resources: z.coerce.number().int().min(0) })
const ProbeOrder = z.object({ system: z.string(), from: z.literal('/').optional() })

/** Makes the pages, rendered on the server, without patient data. Lists are read by index, a page at a time. */
export function createPages(deps: PagesDeps): Router {
  const { ledger, handlerNames, retry, discard, pausing, vitals, alerts, settings, read, stopping } = deps
  const now = deps.now ?? Date.now
  const requireOwnForm: RequestHandler = (req, res, next) => {
    if (isOwnForm(req)) return next()
    const message = 'The form does not belong to your session: open the page again, then send it.'
    sendPage(res, <MessagePage title="Refused" message={message} />, 403)
  }
  const readOverview = createReadOverview(deps)
  const readDue = async () => (await readOverview()).counts?.due

  const router = Router()
  router.use(assets.createRoutes('/assets'))
  router.use(express.urlencoded({ extended: false, limit: '32kb' }))
  /** Only of a system that pawl knows: an address could hold any text. */
  const readAsked = (query: unknown) => {
    const { data: asked } = AskedQuery.safeParse(query)
    return asked !== undefined && Object.hasOwn(deps.readBreakers(), asked.asked) ? asked : undefined
  }
  /** Likewise. */
  const readResumed = (query: unknown) => {
    const { data: done } = ResumedQuery.safeParse(query)
    const target = [allWork, ...pausing.targets].find((each) => done !== undefined && isSameTarget(each, done))
    return done && target && { target, resources: done.resumed }
  }
  router.get('/', async (req, res) =>
    sendPage(
      res,
      <OverviewPage
        reading={await readOverview({ isAnew: Object.keys(req.query).length > 0 })}
        asked={readAsked(req.query)}
        resumed={readResumed(req.query)}
        named={NamedQuery.parse(req.query).named}
      />,
    ),
  )
  router.get('/live', async (req, res) =>
    sendPage(res, <Overview reading={await readOverview()} named={NamedQuery.parse(req.query).named} />),
  )
  router.use(createParkedPages({ ledger, handlerNames, retry, discard, requireOwnForm, now }))

  router.use(createWorkQueuePages({ ledger, now }))
  router.use(createPausePages({ ledger, readDue, pausing, syncing: deps.syncing, requireOwnForm, now }))

  router.get('/resources', async (req, res) => {
    const kind = Kind.optional().catch(undefined).parse(req.query.kind)
    const cursor = readCursor(ResourceCursor, req.query.after)
    const { rows, next } = await ledger.listResources({ kind }, pageSize, cursor)
    const address = next && `/resources${queryOf({ kind, after: writeCursor(next) })}`
    sendPage(res, <ResourcesPage kind={kind} resources={rows} next={address} />)
  })

  router.post('/resources/find', requireOwnForm, async (req, res) => {
    // A parsed form; requireOwnForm checked that it exists.
    const value = Word.parse((req.body as Record<string, unknown>).value)
    if (value === undefined) return res.redirect(303, '/resources')
    const found = await read.find(req, { value }, pageSize)
    const [only] = found.matches
    // An address may hold an id, but never a number typed by a user.
    if (only?.by === 'id') return res.redirect(303, `/resources/${encodeURIComponent(only.id)}`)
    sendPage(res, <FoundPage found={found} />)
  })

  const retriableOf = (story: Story) =>
    story.handlers
      .filter(({ state, handler }) => state === 'parked' && handlerNames.includes(handler))
      .map(({ handler }) => handler)

  router.get('/resources/:id', async (req, res) => {
    const before = readCursor(StoryCursor, req.query.before)
    const story = await read.story(req, req.params.id, { limit: storySize, before })
    if (story === undefined) return sendUnknown(res)
    sendPage(res, <ResourcePage story={story} retriable={retriableOf(story)} isRetried={req.query.retried === 'yes'} />)
  })

  router.get('/events', async (req, res) => {
    const { before, follow, within, resource: resourceId, ...filter } = EventsQuery.parse(req.query)
    const since = sinceOf(within, now())
    const { rows, next } = await ledger.listEvents({ ...filter, resourceId, since, before }, pageSize)
    const shown = { ...filter, within, resource: resourceId }
    const isFollowing = follow !== undefined
    const address = next === undefined ? undefined : `/events${queryOf({ ...shown, before: String(next) })}`
    sendPage(res, <EventsPage filter={shown} isFollowing={isFollowing} events={rows} next={address} />)
  })

  router.get('/runs', async (req, res) => {
    const { before, resource, within, ...filter } = RunsQuery.parse(req.query)
    const since = sinceOf(within, now())
    const { rows, next } = await ledger.listRuns({ ...filter, resourceId: resource, since, before }, pageSize)
    const shown = { ...filter, within, resource }
    const address = next === undefined ? undefined : `/runs${queryOf({ ...shown, before: String(next) })}`
    sendPage(res, <RunsPage filter={shown} handlerNames={handlerNames} runs={rows} next={address} />)
  })

  router.get('/rejections', async (req, res) => {
    const reason = Word.parse(req.query.reason)
    const within = Within.parse(req.query.within)
    const filter = { reason, since: sinceOf(within, now()), before: Row.parse(req.query.before) }
    const found = await ledger.listRejections(filter, pageSize + 1)
    const last = found.length > pageSize ? found[pageSize - 1] : undefined
    const next = last && `/rejections${queryOf({ reason, within, before: String(last.id) })}`
    const refused = await ledger.refused(refusedWithinMs)
    // An unknown reason could be any text in an address.
    const isKnown = reason === undefined || found.length > 0
    sendPage(
      res,
      <RejectionsPage
        reason={isKnown ? reason : 'an unknown reason'}
        within={within}
        refused={refused}
        rejections={found.slice(0, pageSize)}
        next={next}
      />,
    )
  })

  router.get('/alerts', async (req, res) => {
    const { open, targets } = await alerts.read()
    const found = await alerts.list(pageSize + 1, Row.parse(req.query.before))
    const last = found.length > pageSize ? found[pageSize - 1] : undefined
    const history = found.slice(0, pageSize).filter(({ closedAt }) => closedAt !== undefined)
    const next = last && `/alerts${queryOf({ before: String(last.id) })}`
    const causes = causesOf(await ledger.workGroups())
    const withCause = open.map((alert) => ({ ...alert, cause: causes.find((cause) => isAbout(alert, cause)) }))
    sendPage(
      res,
      <AlertsPage open={withCause} handlerNames={handlerNames} targets={targets} history={history} next={next} />,
    )
  })

  router.get('/handlers', async (req, res) => {
    const groups = await ledger.workGroups()
    const lastRuns = await ledger.lastRuns()
    const rates = vitals.read().handlers
    const handlers = handlerNames.map((name) => {
      const own = groups.filter(({ handler }) => handler === name)
      const sizeOf = (state: string) => totalOf(own.filter((each) => each.state === state))
      return {
        name,
        rate: rates[name],
        lastRun: lastRuns.find(({ handler }) => handler === name),
        parked: sizeOf('parked'),
        failing: sizeOf('failing'),
        waiting: sizeOf('waiting'),
        newest: own.filter((each) => each.state !== 'waiting').toSorted((a, b) => b.newest - a.newest)[0],
      }
    })
    const pauses = await ledger.pauses()
    const resumed = readResumed(req.query)
    const away = new Set(deps.readAway().map(({ system }) => system))
    const systems = statesOf(deps.readBreakers(), pauses).map((each) => ({
      ...each,
      isAway: away.has(each.system) && each.state !== 'paused',
    }))
    const asked = readAsked(req.query)
    sendPage(res, <HandlersPage {...{ handlers, systems, pauses, resumed, asked }} now={now()} />)
  })

  router.post('/handlers/probe', requireOwnForm, async (req, res) => {
    const { system, from = '/handlers' } = ProbeOrder.catch({ system: '' }).parse(req.body)
    try {
      const resources = await deps.probe(system, { actor: readActor(req) })
      res.redirect(303, `${from}${queryOf({ asked: system, resources: String(resources) })}`)
    } catch (error) {
      if (!(error instanceof RequestRefused)) throw error
      sendPage(res, <MessagePage title="Nothing was asked" at="/handlers" message={error.message} />, error.status)
    }
  })

  router.use(createStartPages({ starting: deps.starting, requireOwnForm }))
  router.use(createHistoryPages({ ledger, alerts, now }))
  const readMissing = async () => (await readOverview({ isAnew: true })).verdict.find(isAboutUnheard)
  router.use(createAskPages({ ledger, syncing: deps.syncing, readMissing, requireOwnForm, now }))
  router.use(createHelpPages())
  router.use(createErasePages({ erasing: deps.erasing, requireOwnForm }))
  router.use(createAuditPages({ ledger, requireOwnForm }))
  router.use(createReportPages({ ledger, stopping, now }))
  router.get('/settings', (_req, res) => sendPage(res, <SettingsPage settings={settings} drift={deps.readDrift()} />))
  return router
}

function sendUnknown(res: express.Response): void {
  const message = 'No resource of this id is known here: pawl sync <id> asks the service.'
  sendPage(res, <MessagePage title="Not known" at="/resources" message={message} />, 404)
}
