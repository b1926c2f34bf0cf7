import express, { type Express, Router } from 'express'
import helmet from 'helmet'
import type { Registry } from 'prom-client'
import { createAnswerFailure } from '@pawl/base/net/answer-failure'
import type { Log } from '@pawl/base/log'
import { createSampledLog } from '@pawl/base/sampled-log'
import type { Away } from '@pawl/ledger/away'
import type { Ledger } from '@pawl/ledger/ledger'
import type { Drift } from 'pawl-client/events/drift-seen'
import type { ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import { countByHandler } from '@pawl/ledger/views/work-group'
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
import { createActRoutes } from './act-routes.ts'
import { alertsToJson, createAlertRoutes } from './alert-routes.ts'
import { refuseUnknown } from './access/authorize.tsx'
import { type AccessSettings, createAccess } from './access/create-access.ts'
import { createAuditRoutes } from './audit-routes.ts'
import { createAuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import { createOpenApi } from './contract/admin-openapi.ts'
import { createDiscard } from './discard.ts'
import { createErasing } from './erasure.ts'
import { createPages, type PagesDeps } from './pages.tsx'
import { refusalCheckOf, refusedWithinMs } from './faults/refusal-checks.ts'
import { type ChartDeps, createChartRoutes } from './charts.ts'
import { createBrowse } from './browse.ts'
import { createListWork } from './list-work.ts'
import { createPauseRoutes } from './pause-routes.ts'
import { blockedLedger, judge } from './verdict/judge-facts.ts'
import { createPausing } from './pausing.ts'
import { createProbe } from './probing.ts'
import { createReadFacts } from './verdict/read-facts.ts'
import type { Vitals } from './vitals.ts'
import { createReportRoutes } from './report-routes.ts'
import { createPurgeLedger, type PurgeLedgerDeps } from './purge-ledger.ts'
import { createReveal } from './revealing.ts'
import { createRotateKeys, type Sealing } from './rotate-keys.ts'
import { type AmendFaultOf, createRetry } from './retrying.ts'
import { serve } from './serve.ts'
import { createStarting, type StartingDeps } from './starting.ts'
import { createSyncing, type SyncDeps } from './sync-now.ts'
import { createVerifying, type VerifyingDeps } from './verifying.ts'

/** All that the admin listener shows, and lets people do. */
export interface AdminDeps {
  ledger: Ledger
  role: string
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** The systems, the service among them. */
  systemNames: readonly string[]
  patientRoles: ChartDeps['patientRoles']
  noticeRoles: ChartDeps['noticeRoles']
  readTaken: ChartDeps['readTaken']
  amendFaultOf: AmendFaultOf
  /** The address of a written resource for people, if it has one. */
  linkTo: Parameters<typeof createReadStory>[0]['linkTo']
  settings: PagesDeps['settings']
  teams: PagesDeps['teams']
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
  /** What this process met that pawl does not know. */
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
  verifier?: VerifyingDeps['verifier']
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
  now?: () => number
}

/** Makes the app of the admin listener: readiness, metrics, pages, and the JSON API that the commands call. It shows ids and codes, never content. */
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
  /** Work that waits for a pause or a system that is away, by handler. */
  async function readWaitingFor() {
    const waiting = await ledger.workGroups({ state: 'waiting' })
    return waiting.map(({ handler, system, errorCode, count }) => ({ handler, system, errorCode, count }))
  }
  /** Failing work of each handler, with the oldest. */
  async function readFailing() {
    const counts = countByHandler(await ledger.workGroups({ state: 'failing', handlerNames }))
    const longest = await ledger.longestFailing(handlerNames)
    return longest.map(({ handler, ...oldest }) => {
      const count = counts.find((each) => each.handler === handler)?.count ?? 1
      return { handler, count, oldest }
    })
  }
  const readFacts = createReadFacts({
    ...deps,
    ledger: { ...ledger, ...patient },
    readClockAhead: deps.vitals.clockAheadMs,
  })
  const api = Router()
  serve(api, contract.readiness, async ({ res }) => {
    const [counts, state] = await Promise.all([readCounts(), readState()])
    const isFull = state.disk?.state === 'full'
    // A receiver that cannot store deliveries is not ready. A worker still runs stored work, and a restart would not help it.
    const isReady = deps.role === 'worker' || (!isFull && state.ledger === undefined)
    res.status(isReady ? 200 : 503)
    // Neither fault loses a delivery, so the process stays ready and accepts them.
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
  const retry = createRetry({ ...known, amendFaultOf: deps.amendFaultOf, enqueue, log })
  const discard = createDiscard({ ...known, enqueue, log })
  const pausing = createPausing({ ledger, handlerNames, systemNames, lookAtPauses, enqueue, log })
  const probe = createProbe({ ledger, systemNames, readAway, enqueue, log })
  const syncing = createSyncing({ sync, poll, ledger, log })
  const starting = createStarting({ requests: deps.requests, ledger })
  const erasing = createErasing({ ledger, log })
  const reveal = createReveal({ ledger, log })
  const verifying = createVerifying({ verifier: deps.verifier, ledger, linkTo: deps.linkTo, sync, enqueue, log })
  const acts = { retry, discard, probe, syncing, starting, erasing, reveal, verifying, read }
  app.use(createActRoutes({ ledger, ...acts }))
  app.use(createListWork(known))
  app.use(createAlertRoutes(alerts))
  app.use(createBrowse(ledger))
  app.use(createPauseRoutes({ ledger, pausing }))
  app.use(createAuditRoutes({ ledger }))
  app.use(createReportRoutes({ ledger, now: deps.now ?? Date.now }))
  const { patientRoles, noticeRoles, readTaken } = deps
  app.use(createChartRoutes({ ledger, sync, patientRoles, noticeRoles, readTaken, log }))
  app.use(createRotateKeys({ ledger, sealing }))
  app.use(createPurgeLedger({ ledger, keep: deps.keep }))
  app.use(createPages({ ...deps, ...acts, pausing, readFacts }))
  app.use(refuseUnknown)
  const unavailable = () => {
    const blocked = deps.readBlocked?.()
    if (blocked === undefined) return 'The ledger did not answer; see the log.'
    const { title, why, todo } = blockedLedger(blocked)
    return `${title}: ${why}. ${todo}`
  }
  app.use(createAnswerFailure({ component: 'admin', sampledLog: createSampledLog({ log }), unavailable }))
  return app
}

/** Max wait for a read that queues behind a writer, in milliseconds. */
const patienceMs = 1_000

/** Reads that queue behind writers; each returns its last answer while a writer blocks it. */
function readWithoutWriters(ledger: Pick<Pauses, 'pauses'> & Pick<AuditTrail, 'auditState'>): typeof ledger {
  const unknown = { head: undefined, broken: undefined, lastBreak: undefined }
  const pauses = readPatiently<Pause[]>(() => ledger.pauses(), patienceMs, [])
  const auditState = readPatiently<AuditState>(() => ledger.auditState(), patienceMs, unknown)
  // Read once at the start: later, a writer may block the first answer.
  void Promise.allSettled([pauses(), auditState()])
  return { pauses, auditState }
}
