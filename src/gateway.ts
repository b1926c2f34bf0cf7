import { startAlerts } from '@pawl/console/alerts/alerts'
import { targetsFrom } from '@pawl/console/alerts/targets-from'
import { createAddressRanges } from '@pawl/base/net/address-ranges'
import { type Api, createApi } from 'pawl-client/api/client'
import { type Clock, systemClock } from '@pawl/base/clock'
import { ConfigInvalid } from '@pawl/base/errors'
import type { Config } from './settings/read-config.ts'
import { warningsFor } from './settings/warnings.ts'
import { createClosers, type StopOptions } from '@pawl/base/closers'
import { ownPackage } from '@pawl/base/own-package'
import { createAdmin } from '@pawl/console/admin'
import { pollDelayMs } from './work/poll/pace.ts'
import { pauseAtStart } from './work/pause-at-start.ts'
import { createPoller } from './work/poll/poller.ts'
import { createSync } from './work/poll/sync.ts'
import type { AnyHandler } from './work/handler.ts'
import { createDigest } from '@pawl/connector/digest'
import { createBreakers } from './systems/breakers.ts'
import { watchPauses, pauseSystems } from './systems/watched-pauses.ts'
import { checkIntegration } from './work/check-integration.ts'
import { type AnyIntegration, systemsOf } from './work/integration.ts'
import { createRequestStarter, type RequestStarter } from './work/start-request.ts'
import { startWorker } from './work/worker.ts'
import type { SystemsByName } from '@pawl/connector/system'
import { createFindResources } from '@pawl/console/story/find-resources'
import { createReadStory } from '@pawl/console/story/read-story'
import { createLinkTo } from './systems/link-to.ts'
import { createSystems } from './systems/systems.ts'
import { LedgerFileUnusable } from '@pawl/ledger/sqlite/file'
import { ownActor } from '@pawl/ledger/audit/audit-entry'
import { createReadDiskRoom, ledgerPathOf, type ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import { watchLogSize } from '@pawl/ledger/upkeep/watch-log-size'
import type { Ledger } from '@pawl/ledger/ledger'
import { openLedger } from '@pawl/ledger/open-ledger'
import { startRetention } from '@pawl/ledger/upkeep/retention'
import { startTallying } from '@pawl/ledger/upkeep/tallying'
import { watchWrites } from '@pawl/ledger/upkeep/watch-writes'
import { startWatchingTrail } from '@pawl/ledger/audit/watch-trail'
import { createLog, type Log } from '@pawl/base/log'
import { addAlertMetrics } from '@pawl/console/alert-metrics'
import { createMetrics } from '@pawl/console/metrics'
import { createVitals } from '@pawl/console/vitals'
import { createSharedQueue } from './queue/shared-queue.ts'
import { createInProcessQueue } from './queue/in-process-queue.ts'
import type { Queue } from './queue/queue.ts'
import { createSharedLimit } from './queue/shared-limit.ts'
import { type Receiver } from './receive/receiver.ts'
import { readOpenFilesLimit, sayOpenFiles, shareOpenFiles } from '@pawl/base/open-files'
import { createSampledLog } from '@pawl/base/sampled-log'
import { startServer } from '@pawl/base/net/server'
import { inSpan } from '@pawl/base/tracing/span'
import type { AuditTrail } from '@pawl/ledger/audit/create-audit-trail'
import { startReceiving } from './receive/start-receiving.ts'
import { createDriftSeen, placeOf } from 'pawl-client/events/drift-seen'
import { createFollowedApi } from './work/followed-api.ts'
import { createWaking } from './work/wake-waiting.ts'
import { createSharedBudgetStore } from 'pawl-client/api/shared-budget-store'

export { readConfig } from './settings/read-config.ts'
export type { Config } from './settings/read-config.ts'

/** Replacements for the parts that settings and integration would build. */
export interface Parts {
  queue?: Queue
  api?: Api
  systems?: SystemsByName
  handlers?: readonly AnyHandler[]
  clock?: Clock
  /** From 0 to 1, for jitter. */
  random?: () => number
  log?: Log
  readDiskRoom?: ReadDiskRoom
}

/** A running pawl. */
export interface Gateway {
  ledger: Ledger
  /** `http://host:port` of the public listener; absent in role `worker`. */
  url: string | undefined
  /** Request handler of the public listener: mount it in your own app, in front of any body parser. Absent in role `worker`. */
  receiver: Receiver | undefined
  adminUrl: string
  /** Resources in work in this process, plus one while it polls. */
  inWork(this: void): number
  /** Takes nothing new, finishes or gives back work in hand within the grace, and closes everything, even if a part fails to close. Resolves within the grace and four seconds. After an uncaught error (`crashed`) work in hand counts as lost. */
  close(options?: StopOptions): Promise<void>
}

/** Builds and starts every part from the settings and the integration: the only composition root. If one cannot start, closes the others and rejects. */
export async function startGateway(config: Config, integration: AnyIntegration, parts: Parts = {}): Promise<Gateway> {
  const { clock = systemClock, random = Math.random } = parts
  const { logFields: ownFields } = integration
  const log = parts.log ?? createLog({ level: config.logLevel, showForeignErrors: !config.isProduction, ownFields })
  const { handlers, systems: systemsByName } = readIntegration(integration, config, parts)
  for (const [system, { notice }] of Object.entries(systemsByName))
    if (notice !== undefined) log.warn({ system }, notice)
  for (const { says } of warningsFor(config)) log.warn({ component: 'settings' }, says)

  const closers = createClosers(log)
  const close = (options = { crashed: false }) => closers.close(config.shutdownGraceMs, options)
  try {
    const ledger = await openConfiguredLedger(config, parts.clock, log)
    closers.add(ledger.close)
    await noteStart(ledger, config)
    // A missing key is created only once the trail has a row to bind it to.
    const digest = createDigest(await ledger.digestKey())
    closers.addFront(startWatchingTrail({ ledger, log }).close)
    const writes = watchWrites({ ledger, log })
    closers.addFront(writes.close)
    const names = ['api', ...Object.keys(systemsByName)]
    const breakers = createBreakers({
      systems: names,
      cooldownMs: config.breakerCooldownMs,
      outages: ledger,
      log,
      onTaken: (system) => wakeWaiting(system),
    })
    closers.add(breakers.close)
    if (config.startPaused) await pauseAtStart(ledger)
    const pauses = watchPauses(ledger)
    closers.add(pauses.close)
    // Before any work begins.
    await pauses.look()
    const resumed = await ledger.finishResumes({ actor: ownActor, reason: 'it was resumed before' })
    if (resumed.length > 0) log.warn({ count: resumed.length }, 'work is due that waited for a pause that is over')
    const metrics = createMetrics({
      readCounts: ledger.counts,
      readBreakers: breakers.states,
      readPauses: pauses.list,
    })

    const vitals = createVitals(() => clock.now())
    const drift = createDriftSeen({
      now: () => clock.now(),
      count: (kind) => metrics.drift.inc({ kind }),
      onNew: (sighting) =>
        log.info(
          { reason: sighting.kind, code: placeOf(sighting), resource_id: sighting.resourceId },
          'the catalogue lacks a name or code: the page of settings shows it',
        ),
    })
    const works = config.role !== 'receiver'
    const shareLimit = createSharedLimit()
    const local = shareLimit(createInProcessQueue())
    const sharedUrl = readSharedUrl(config)
    const shared = sharedUrl === undefined ? undefined : await createSharedQueue({ url: sharedUrl, log })
    const queue = parts.queue ?? (shared === undefined ? local : shareLimit(shared))
    const enqueue = (resourceId: string) => {
      // The queue has already logged its outage; a process that works does without it.
      tracedWake(queue, resourceId).catch(() => (works ? local.enqueue(resourceId) : undefined))
    }

    const readDiskRoom = parts.readDiskRoom ?? createReadDiskRoom(config.databaseUrl)
    if (readDiskRoom !== undefined) closers.addFront(watchLogSize({ readDiskRoom, log }).close)
    let poll = () => {}
    let inWork = () => 0
    let requests: RequestStarter | undefined
    const stopping = new AbortController()
    const wakeWaiting = createWaking({ ledger, enqueue, stopping: stopping.signal, log })
    // A receiver may be asked for a resource by hand, too.
    let readSnapshot = config.api && createApi(config.api).readSnapshot
    if (works) {
      const budgetStore = sharedUrl === undefined ? undefined : await createSharedBudgetStore(sharedUrl)
      closers.add(() => budgetStore?.close())
      const api =
        parts.api ??
        createFollowedApi({
          settings: config.api,
          budgetStore,
          ledger,
          noteDrift: drift.note,
          enqueue,
          onRequest({ method, route, status, durationMs, limits }) {
            metrics.requests.observe({ method, route, status }, durationMs / 1_000)
            vitals.limited(`${method} ${route}`, limits)
          },
          log,
        })
      const systems = createSystems({
        systems: systemsByName,
        api,
        breakers: pauseSystems(breakers, pauses),
        digest,
      })
      closers.add(systems.close)
      readSnapshot = api.readSnapshot
      const draft = Object.values(systemsByName).find((system) => system.draft !== undefined)?.draft
      if (draft !== undefined)
        requests = createRequestStarter({
          system: { draft },
          ledger,
          apiFor: systems.apiFor,
          enqueue,
          signal: stopping.signal,
          log,
        })
      const poller = createPoller({
        ledger,
        noteDrift: drift.note,
        apiFor: systems.apiFor,
        enqueue: (resourceId) => local.enqueue(resourceId),
        isAllPaused: pauses.isAllPaused,
        intervalMs: config.pollIntervalMs,
        clock,
        log,
      })
      closers.addFront(poller.close)
      const worker = startWorker({
        ledger,
        systems,
        pauses,
        queue,
        local,
        handlers,
        settings: config.settings,
        concurrency: config.concurrency,
        leaseMs: config.leaseMs,
        restMs: config.restMs,
        retry: config.retry,
        sweepIntervalMs: config.sweepIntervalMs,
        noteDrift: drift.note,
        pollDelayMs,
        wakePollerIn: poller.wakeIn,
        clock,
        random,
        log,
        count(handler, result, syncMs) {
          metrics.runs.inc({ handler, result })
          if (syncMs !== undefined) metrics.syncs.observe({ handler }, syncMs / 1_000)
          vitals.ran(handler, result, syncMs)
        },
        countStall: (stallMs) => metrics.stalls.observe(stallMs / 1_000),
      })
      closers.addFront((graceMs, options) => worker.close(graceMs, options))
      poller.start()
      poll = poller.wake
      inWork = () => worker.inWork() + (poller.isPolling() ? 1 : 0)
      closers.addFront(startRetention({ ledger, keep: config.keep, log }).close)
      closers.addFront(startTallying({ ledger, log }).close)
    } else closers.add(() => queue.close())

    const alerts = startAlerts({
      ...config.alerts,
      ledger,
      targets: await targetsFrom(config.alerts.targets, clock),
      maxAttempts: config.retry.maxAttempts,
      readAway: breakers.away,
      readQueueOutage: () => queue.outage?.(),
      readBudgets: () => vitals.read().limits,
      readTurnedAway: () => vitals.read().turnedAway,
      clock,
      random,
      log,
    })
    closers.addFront(alerts.close)
    addAlertMetrics(metrics.registry, alerts.last)

    closers.addFront(() => stopping.abort())
    const admin = createAdmin({
      ledger,
      handlerNames: handlers.map(({ name }) => name),
      systemNames: names,
      lookAtPauses: pauses.look,
      patientRoles: Object.entries(systemsByName).flatMap(([system, { patientRole }]) =>
        patientRole === undefined ? [] : { system, role: patientRole },
      ),
      readTaken: (system) => systemsByName[system]?.takes?.(),
      keep: config.keep,
      readDiskRoom,
      readBlocked: writes.blocked,
      readBreakers: breakers.states,
      readAway: breakers.away,
      isStartPausedSet: config.startPaused,
      ledgerPath: ledgerPathOf(config.databaseUrl),
      credentials: config.credentials,
      readQueueOutage: () => queue.outage?.(),
      registry: metrics.registry,
      sealing: config.sealingKeys.length === 0 ? 'off' : config.acceptsPlain ? 'turning_on' : 'on',
      access: {
        ...config.admin,
        trustedProxies: createAddressRanges(config.trustedProxies),
        sessionKey: config.sealingKeys[0],
      },
      enqueue,
      poll,
      requests,
      sync: createSync({ ledger, handlers, readSnapshot, enqueue, log }),
      readStory: createReadStory({ ledger, linkTo: createLinkTo(systemsByName) }),
      findResources: createFindResources({ ledger }),
      vitals,
      alerts,
      role: config.role,
      queueName: queueNameOf(sharedUrl),
      inWork: () => inWork(),
      settings: config.sources,
      readDrift: drift.list,
      stopping: stopping.signal,
      log,
    })
    const openFiles = readOpenFilesLimit()
    const sampledLog = createSampledLog({ log })
    closers.add(sampledLog.close)
    const adminServer = await startServer((req, res) => void admin(req, res), config.admin, 'ADMIN_', {
      ...(openFiles !== undefined && {
        total: {
          max: shareOpenFiles(openFiles).admin,
          onRefused: () =>
            sampledLog.warn(
              { component: 'admin', reason: 'too_many_open_files' },
              `connection refused: ${sayOpenFiles(openFiles)}`,
            ),
        },
      }),
    })
    closers.addFront((graceMs) => adminServer.close(graceMs))

    const receiving =
      config.role === 'worker'
        ? undefined
        : await startReceiving({
            config,
            ledger,
            noteDrift: drift.note,
            readBlocked: writes.blocked,
            enqueue,
            readDiskRoom,
            systems: Object.values(systemsByName),
            countDelivery(outcome, code) {
              metrics.deliveries.inc({ outcome, code })
              if (outcome === 'unavailable') vitals.turnedAway(code)
            },
            timeAnswer(outcome, tookMs) {
              metrics.answers.observe({ outcome }, tookMs / 1_000)
              vitals.answered(outcome, tookMs)
            },
            now: () => clock.now(),
            stopping: stopping.signal,
            closers,
            log,
          })
    log.info({ address: adminServer.url, count: handlers.length }, 'pawl is running')
    return { ledger, url: receiving?.url, receiver: receiving?.receiver, adminUrl: adminServer.url, inWork, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The systems and handlers of an integration, checked. Throws `ConfigInvalid`. */
function readIntegration(integration: AnyIntegration, { settings }: Config, parts: Parts) {
  const systems = parts.systems ?? systemsOf(integration, settings)
  const handlers = parts.handlers ?? integration.handlers
  checkIntegration({ systems, handlers, logFields: integration.logFields })
  return { systems, handlers }
}

async function openConfiguredLedger(config: Config, clock: Clock | undefined, log: Log): Promise<Ledger> {
  const onError = (error: Error) => log.warn({ component: 'ledger', error }, 'ledger connection lost')
  const { databaseUrl, sealingKeys, acceptsPlain } = config
  try {
    return await openLedger({ databaseUrl, sealingKeys, acceptsPlain }, { clock, onError })
  } catch (error) {
    if (!(error instanceof LedgerFileUnusable)) throw error
    const message = `The ledger cannot be opened at DATABASE_URL: ${error.message}.`
    // A temporary fault is not an error of the settings: the supervisor starts pawl again.
    throw error.retry === 'never' ? new ConfigInvalid(message) : new Error(message, { cause: error.cause })
  }
}

/** Records the start in the audit trail, with the names of its settings. Rejects if that cannot be written. */
async function noteStart(ledger: Pick<AuditTrail, 'audit'>, { role, sources }: Config): Promise<void> {
  const named = (from: string) => sources.filter(({ source }) => source === from).map(({ name }) => name)
  const details = {
    version: ownPackage().version,
    role,
    pid: process.pid,
    set_in_environment: named('environment'),
    set_by_default: named('default'),
    not_set: named('not set'),
  }
  await ledger.audit({ actor: ownActor, action: 'process.start', details })
}

/** Enqueues the id within a span of the requesting delivery or run. */
function tracedWake(queue: Queue, resourceId: string): Promise<void> {
  const attributes = {
    'messaging.system': 'pawl',
    'messaging.destination.name': 'pawl.work',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'pawl.resource.id': resourceId,
  }
  return inSpan('send pawl.work', { kind: 'producer', attributes }, () => queue.enqueue(resourceId))
}

/** The server for the shared queue and rate budget of several processes: Redis, or else the ledger's PostgreSQL. */
function readSharedUrl({ queueUrl, databaseUrl }: Config): string | undefined {
  return queueUrl ?? (databaseUrl.startsWith('file:') ? undefined : databaseUrl)
}

/** Display name of the queue. */
function queueNameOf(sharedUrl: string | undefined): string {
  if (sharedUrl === undefined) return 'this process'
  return sharedUrl.startsWith('postgres') ? 'PostgreSQL' : 'Redis'
}
