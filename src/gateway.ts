import { startAlerts } from '@pawl/console/alerts/alerts'
import { startDigests } from '@pawl/console/staff/start-digests'
import { targetsFrom } from '@pawl/console/alerts/targets-from'
import { createAddressRanges } from '@pawl/base/net/address-ranges'
import { type Api, createApi } from 'pawl-client/api/client'
import { type Clock, systemClock } from '@pawl/base/clock'
import { ConfigInvalid } from '@pawl/base/errors'
import type { Config } from './settings/read-config.ts'
import { warningsFor } from './settings/warnings.ts'
import { createClosers, type StopOptions } from '@pawl/base/closers'
import { noteStart } from './work/note-start.ts'
import { pauseAtStart } from './work/pause-at-start.ts'
import { createSync } from './work/poll/sync.ts'
import type { AnyHandler } from './work/handler.ts'
import { createDigest } from '@pawl/connector/digest'
import { createBreakers } from './systems/breakers.ts'
import { watchPauses } from './systems/watched-pauses.ts'
import { checkIntegration } from './work/check-integration.ts'
import { type AnyIntegration, systemsOf } from './work/integration.ts'
import type { SystemsByName } from '@pawl/connector/system'
import { createLinkTo } from './systems/link-to.ts'
import { LedgerFileUnusable } from '@pawl/ledger/sqlite/file'
import { ownActor } from '@pawl/ledger/audit/audit-entry'
import { createReadDiskRoom, ledgerPathOf, type ReadDiskRoom } from '@pawl/ledger/upkeep/disk-room'
import { watchLogSize } from '@pawl/ledger/upkeep/watch-log-size'
import type { Ledger } from '@pawl/ledger/ledger'
import { openLedger } from '@pawl/ledger/open-ledger'
import { startRetention } from '@pawl/ledger/upkeep/retention'
import { startProjecting } from '@pawl/ledger/projections/start-projecting'
import { watchWrites } from '@pawl/ledger/upkeep/watch-writes'
import { startWatchingTrail } from '@pawl/ledger/audit/watch-trail'
import { createLog, type Log } from '@pawl/base/log'
import { startAdmin } from '@pawl/console/start-admin'
import { openQueues, queueNameOf } from './queue/open-queues.ts'
import { startWork } from './work/start-work.ts'
import { addAlertMetrics } from '@pawl/console/alert-metrics'
import { createMetrics } from '@pawl/console/metrics'
import { createVitals } from '@pawl/console/vitals'
import type { Queue } from './queue/queue.ts'
import { type Receiver } from './receive/receiver.ts'
import { startReceiving } from './receive/start-receiving.ts'
import { createDriftSeen, placeOf } from 'pawl-client/events/drift-seen'
import { createWaking } from './work/wake-waiting.ts'

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
  /** Resources in progress in this process, plus one while it polls. */
  inWork(this: void): number
  /** Accepts nothing new, finishes or releases work in progress within the grace, and closes every part, even if one fails to close. Resolves within the grace plus four seconds. After an uncaught error (`crashed`), work in progress counts as lost. */
  close(options?: StopOptions): Promise<void>
}

/** Builds and starts every part from the settings and the integration: the only composition root. If a part cannot start, closes the others and rejects. */
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
    const vitals = createVitals(() => clock.now())
    const metrics = createMetrics({
      readCounts: ledger.counts,
      readLags: ledger.projectionLags,
      readBreakers: breakers.states,
      readPauses: pauses.list,
      readClockAhead: vitals.clockAheadMs,
    })

    const drift = createDriftSeen({
      now: () => clock.now(),
      count: (kind) => metrics.drift.inc({ kind }),
      onNew: (sighting) =>
        log.info(
          { reason: sighting.kind, code: placeOf(sighting), resource_id: sighting.resourceId },
          'the service sent a name or code that pawl does not know: the page of settings lists it',
        ),
    })
    const works = config.role !== 'receiver'
    const queues = await openQueues({ sharedUrl: config.sharedUrl, given: parts.queue, works, log })
    const { queue, enqueue } = queues

    const readDiskRoom = parts.readDiskRoom ?? createReadDiskRoom(config.databaseUrl)
    if (readDiskRoom !== undefined) closers.addFront(watchLogSize({ readDiskRoom, log }).close)
    const stopping = new AbortController()
    const wakeWaiting = createWaking({ ledger, enqueue, stopping: stopping.signal, log })
    const working = works
      ? await startWork({
          config,
          ledger,
          systems: systemsByName,
          handlers,
          breakers,
          pauses,
          digest,
          queues,
          noteDrift: drift.note,
          api: parts.api,
          onRequest({ method, route, status, durationMs, limits, clockAheadMs }) {
            metrics.requests.observe({ method, route, status }, durationMs / 1_000)
            vitals.limited(`${method} ${route}`, limits)
            if (clockAheadMs !== undefined) vitals.compared(clockAheadMs)
          },
          count(handler, result, syncMs) {
            metrics.runs.inc({ handler, result })
            if (syncMs !== undefined) metrics.syncs.observe({ handler }, syncMs / 1_000)
            vitals.ran(handler, result, syncMs)
          },
          countStall: (stallMs) => metrics.stalls.observe(stallMs / 1_000),
          clock,
          random,
          stopping: stopping.signal,
          closers,
          log,
        })
      : undefined
    if (works) {
      closers.addFront(startRetention({ ledger, keep: config.keep, log }).close)
      closers.addFront(startProjecting({ ledger, log }).close)
    } else closers.add(() => queue.close())
    // A person may sync a resource at a receiver, too.
    const readSnapshot = working?.readSnapshot ?? (config.api && createApi(config.api).readSnapshot)
    const inWork = () => working?.inWork() ?? 0

    const alerts = startAlerts({
      ...config.alerts,
      ledger,
      targets: await targetsFrom(config.alerts.targets, clock),
      maxAttempts: config.retry.maxAttempts,
      readAway: breakers.away,
      readQueueOutage: () => queue.outage?.(),
      readBudgets: () => vitals.read().limits,
      readTurnedAway: () => vitals.read().turnedAway,
      readDiskRoom,
      readBlocked: writes.blocked,
      verified: Object.entries(systemsByName).flatMap(([name, { verifyAt }]) => (verifyAt === undefined ? [] : name)),
      clock,
      random,
      log,
    })
    closers.addFront(alerts.close)
    addAlertMetrics(metrics.registry, alerts.last)
    const links = { adminUrl: config.admin.publicUrl, caseUrl: config.caseUrl }
    closers.addFront((await startDigests({ ledger, staff: config.staff, links, clock, log })).close)

    closers.addFront(() => stopping.abort())
    const adminUrl = await startAdmin(
      {
        ledger,
        role: config.role,
        handlerNames: handlers.map(({ name }) => name),
        systemNames: names,
        patientRoles: Object.entries(systemsByName).flatMap(([system, { patientRole }]) =>
          patientRole === undefined ? [] : { system, role: patientRole },
        ),
        noticeRoles: Object.entries(systemsByName).flatMap(([system, { noticeRole }]) =>
          noticeRole === undefined ? [] : { system, role: noticeRole },
        ),
        readTaken: (system) => systemsByName[system]?.takes?.(),
        amendFaultOf: (system) => systemsByName[system]?.amendFault?.bind(systemsByName[system]),
        linkTo: createLinkTo(systemsByName),
        settings: config.sources,
        teams: config.staff.teams,
        keep: config.keep,
        sealing: config.sealingKeys.length === 0 ? 'off' : config.acceptsPlain ? 'turning_on' : 'on',
        isStartPausedSet: config.startPaused,
        credentials: config.credentials,
        access: {
          ...config.admin,
          trustedProxies: createAddressRanges(config.trustedProxies),
          sessionKey: config.sealingKeys[0],
        },
        ledgerPath: ledgerPathOf(config.databaseUrl),
        readDiskRoom,
        readBlocked: writes.blocked,
        queueName: queueNameOf(config.sharedUrl),
        readQueueOutage: () => queue.outage?.(),
        readBreakers: breakers.states,
        readAway: breakers.away,
        readDrift: drift.list,
        vitals,
        registry: metrics.registry,
        alerts,
        inWork,
        lookAtPauses: pauses.look,
        enqueue,
        sync: createSync({ ledger, handlers, readSnapshot, enqueue, log }),
        poll: () => working?.poll(),
        requests: working?.requests,
        verifier: working?.verifier,
        stopping: stopping.signal,
        log,
      },
      { address: config.admin, closers },
    )

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
    log.info({ address: adminUrl, count: handlers.length }, 'pawl is running')
    return { ledger, url: receiving?.url, receiver: receiving?.receiver, adminUrl, inWork, close }
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
    // A temporary fault is not an error of the settings: the supervisor restarts pawl.
    throw error.retry === 'never' ? new ConfigInvalid(message) : new Error(message, { cause: error.cause })
  }
}
