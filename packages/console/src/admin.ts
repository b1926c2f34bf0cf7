import express, { type Express, Router } from 'express'
import helmet from 'helmet'
import type { Registry } from 'prom-client'
import { createAnswerFailure } from '@pawl/base/net/answer-failure'
import type { Log } from '@pawl/base/log'
import { createSampledLog } from '@pawl/base/sampled-log'
import type { Away } from '@pawl/ledger/hot/outages'
import type { Ledger } from '@pawl/ledger/ledger'
import type { Drift } from 'pawl-client/events/drift-seen'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import { countByHandler } from '@pawl/ledger/views/work-groups'
import { readPatiently } from './read-patiently.ts'
import type { AuditState } from '@pawl/ledger/audit/audit'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import type { Pause } from '@pawl/ledger/hot/pause'
import type { Pauses } from '@pawl/ledger/upkeep/create-pauses'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import type { Counts } from '@pawl/ledger/views/counts'
import { verifyBounds } from '@pawl/base/parse-json'
import type { QueueOutage } from './verdict/facts.ts'
import { contentPolicy } from '@pawl/base/pages/content-policy'
import { createFindResources } from './story/find-resources.ts'
import { createReadStory } from './story/read-story.ts'
import { isAuditAltered } from './alerts/audit-altered.ts'
import { alertsToJson, createAlertRoutes } from './alert-routes.ts'
import { type AccessSettings, createAccess } from './access/create-access.ts'
import { createAuditRoutes } from './audit-routes.ts'
import { createAuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import { createOpenApi } from './contract/admin-openapi.ts'
import { createDiscard, createDiscardRoutes } from './discard.ts'
import { createErasing, createErasureRoutes } from './erasure.ts'
import { createPages, type PagesDeps } from './pages.tsx'
import { refusalCheckOf, refusedWithinMs } from './refusal-checks.ts'
import { type ChartDeps, createChartRoutes } from './charts.ts'
import { createBrowse } from './browse.ts'
import { createListWork } from './list-work.ts'
import { createPauseRoutes } from './pause-routes.ts'
import { blockedLedger, judge } from './verdict/judge-facts.ts'
import { createPausing } from './pausing.ts'
import { createProbe, createProbeRoutes } from './probing.ts'
import { createReadFacts } from './verdict/read-facts.ts'
import type { Vitals } from './vitals.ts'
import { createReportRoutes } from './report-routes.ts'
import { createPurgeLedger, type PurgeLedgerDeps } from './purge-ledger.ts'
import { createResourceStories } from './resource-stories.ts'
import { createRotateKeys, type Sealing } from './rotate-keys.ts'
import { createRevealRoutes } from './reveal-routes.tsx'
import { createRetry, createRetryRoutes } from './retrying.ts'
import { serve } from './serve.ts'
import { createStarting, createStartRoutes, type StartingDeps } from './starting.ts'
import { createSyncing, createSyncRoutes, type SyncDeps } from './sync-now.ts'

/** All that the admin listener shows, and lets people do. */
export interface AdminDeps {
  ledger: Ledger
  role: string
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  patientRoles: ChartDeps['patientRoles']
  readTaken: ChartDeps['readTaken']
  /** The address of a written resource for people, if it has one. */
  linkTo: Parameters<typeof createReadStory>[0]['linkTo']
  settings: PagesDeps['settings']
  keep: PurgeLedgerDeps['keep']
  /** Whether bodies and snapshots are sealed, and the audit trail signed. */
  sealing: Sealing
  /** Whether each start pauses all work. */
  isStartPausedSet?: boolean
  /** The setting that lets pawl in, by system. */
  credentials?: Record<string, string>
  /** Authentication and rights. */
  access: AccessSettings
  /** The path of a ledger in a file. */
  ledgerPath?: string | undefined
  /** Room on the ledger's disk, if it is one of this machine. */
  readDiskRoom?: ReadDiskRoom | undefined
  /** Why the ledger takes no writes now, if it takes none. */
  readBlocked?: () => WritesBlocked | undefined
  queueName: string
  /** Duration and reason of an outage of the queue's server, if any. */
  readQueueOutage?: () => QueueOutage | undefined
  readBreakers: () => Record<string, string>
  readAway: () => readonly Away[]
  /** What this process met that the catalogue does not know. */
  readDrift: () => readonly Drift[]
  vitals: Vitals
  registry: Registry
  alerts: PagesDeps['alerts']
  /** Resources in work, plus one while it polls. */
  inWork: () => number
  /** Makes this process reload the pauses at once. */
  lookAtPauses: () => Promise<void>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  sync: SyncDeps['sync']
  /** Polls due resources now, if this process is a worker. */
  poll: () => void
  requests?: StartingDeps['requests']
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
  now?: () => number
}

/** Makes the admin listener's app: readiness, metrics, the JSON API that the command line uses, and the pages. It shows ids and codes, never content. */
export function createAdmin(deps: AdminDeps): Express {
  const {
    ledger,
    handlerNames,
    systemNames,
    lookAtPauses,
    readBreakers,
    readAway,
    registry,
    sealing,
    enqueue,
    poll,
    sync,
    alerts,
    log,
  } = deps
  const read = createAuditedReading({
    readStory: createReadStory({ ledger, linkTo: deps.linkTo }),
    findResources: createFindResources({ ledger }),
    audit: ledger.audit,
  })
  const app = express()
  // Forms send their referrer to their own origin only.
  app.use(helmet({ contentSecurityPolicy: contentPolicy, referrerPolicy: { policy: 'same-origin' } }))
  const access = createAccess({ settings: deps.access, ledger, stopping: deps.stopping, log })
  app.use(access.guard)
  app.use(express.json({ verify: verifyBounds }))
  app.use(access.routes)

  const patient = readWithoutWriters(ledger)
  const readState = async () => {
    const [paused, isAltered] = await Promise.all([patient.pauses(), isAuditAltered(patient)])
    return {
      breakers: readBreakers(),
      away: readAway(),
      paused,
      disk: await deps.readDiskRoom?.(),
      ledger: deps.readBlocked?.(),
      queue: { name: deps.queueName, outage: deps.readQueueOutage?.() },
      audit: isAltered ? ('altered' as const) : ('whole' as const),
    }
  }
  const readCounts = readPatiently<Partial<Counts>>(() => ledger.counts(), patienceMs, {})
  /** Work that waits for a pause or an absent system, by handler. */
  async function readWaitingFor() {
    const waiting = await ledger.workGroups({ state: 'waiting' })
    return waiting.map(({ handler, system, errorCode, count }) => ({ handler, system, errorCode, count }))
  }
  /** Failed work that each handler will retry, with the oldest. */
  async function readFailing() {
    const counts = countByHandler(await ledger.workGroups({ state: 'failing', handlerNames }))
    const longest = await ledger.longestFailing(handlerNames)
    return longest.map(({ handler, ...oldest }) => {
      const count = counts.find((each) => each.handler === handler)?.count ?? 1
      return { handler, count, oldest }
    })
  }
  const readFacts = createReadFacts({ ...deps, ledger: { ...ledger, ...patient } })
  const api = Router()
  serve(api, contract.readiness, async ({ res }) => {
    const [counts, state] = await Promise.all([readCounts(), readState()])
    const isFull = state.disk?.state === 'full'
    // A receiver that cannot store deliveries is not ready; a worker still processes stored work, and no restart helps it.
    const isReady = deps.role === 'worker' || (!isFull && state.ledger === undefined)
    res.status(isReady ? 200 : 503)
    // Neither loses a delivery, so both stay ready: an unready process would accept none.
    const degraded = [
      ...(state.queue.outage === undefined ? [] : ['queue' as const]),
      ...(state.audit === 'altered' ? ['audit' as const] : []),
    ]
    const fault = isFull ? ('disk_full' as const) : ('ledger_blocked' as const)
    return { status: isReady ? ('ready' as const) : fault, degraded, ...counts, ...state }
  })
  serve(api, contract.status, async () => {
    const refused = await ledger.refused(refusedWithinMs)
    const state = { ...(await ledger.counts()), ...(await readState()) }
    return {
      verdict: judge(await readFacts(state)),
      ...state,
      sealing,
      alerts: alertsToJson(await alerts.read()),
      failing: await readFailing(),
      waitingFor: await readWaitingFor(),
      leftOut: await ledger.leftOut(),
      limits: deps.vitals.read().limits,
      withoutHandler: countByHandler(await ledger.workGroups({ exceptHandlers: handlerNames })),
      refused: refused.map((each) => ({ ...each, check: refusalCheckOf(each.reason) })),
    }
  })
  serve(api, contract.handlers, async () => ({ lastRuns: await ledger.lastRuns(), paused: await ledger.pauses() }))
  let openApi: ReturnType<typeof createOpenApi> | undefined
  serve(api, contract.openApi, async () => (openApi ??= createOpenApi()))
  app.use(api)
  app.get('/metrics', async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics())
  })
  const known = { ledger, handlerNames, systemNames }
  app.use(createListWork(known))
  const retry = createRetry({ ...known, enqueue, log })
  app.use(createRetryRoutes(retry))
  app.use(createAlertRoutes(alerts))
  app.use(createBrowse(ledger))
  const pausing = createPausing({ ledger, handlerNames, systemNames, lookAtPauses, enqueue, log })
  app.use(createPauseRoutes({ ledger, pausing }))
  const probe = createProbe({ ledger, systemNames, readAway, enqueue, log })
  app.use(createProbeRoutes(probe))
  const syncing = createSyncing({ sync, poll, ledger, log })
  app.use(createSyncRoutes(syncing))
  const starting = createStarting({ requests: deps.requests, ledger })
  app.use(createStartRoutes(starting))
  app.use(createAuditRoutes({ ledger }))
  app.use(createReportRoutes({ ledger, now: deps.now ?? Date.now }))
  const discard = createDiscard({ ...known, enqueue, log })
  app.use(createDiscardRoutes(discard))
  const erasing = createErasing({ ledger, log })
  app.use(createErasureRoutes(erasing, ledger))
  const { patientRoles, readTaken } = deps
  app.use(createChartRoutes({ ledger, sync, patientRoles, readTaken, log }))
  app.use(createRotateKeys({ ledger, sealing }))
  app.use(createPurgeLedger({ ledger, keep: deps.keep }))
  app.use(createResourceStories(read))
  app.use(createRevealRoutes({ ledger, log }))
  app.use(createPages({ ...deps, read, retry, discard, pausing, probe, readFacts, starting, syncing, erasing }))
  app.use((_req, res) => {
    res.status(404).json({
      error: {
        code: 'not_found',
        message: 'The admin listener has /readyz, /metrics, /api/ and pages for people from / on.',
      },
    })
  })
  const unavailable = () => {
    const blocked = deps.readBlocked?.()
    if (blocked === undefined) return 'The ledger did not answer; see the log.'
    const { title, why, todo } = blockedLedger(blocked)
    return `${title}: ${why}. ${todo}`
  }
  app.use(createAnswerFailure({ component: 'admin', sampledLog: createSampledLog({ log }), unavailable }))
  return app
}

/** Longest wait for a reading that queues behind a writer, in milliseconds. */
const patienceMs = 1_000

/** The readings that share the way of the writers, with the last answer where a writer holds it up. */
function readWithoutWriters(ledger: Pick<Pauses, 'pauses'> & Pick<AuditTrail, 'auditState'>): typeof ledger {
  const unknown = { head: undefined, broken: undefined, lastBreak: undefined }
  const pauses = readPatiently<Pause[]>(() => ledger.pauses(), patienceMs, [])
  const auditState = readPatiently<AuditState>(() => ledger.auditState(), patienceMs, unknown)
  // Once from the start: later there may be no answer.
  void Promise.allSettled([pauses(), auditState()])
  return { pauses, auditState }
}
