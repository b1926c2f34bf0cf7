import { dirname } from 'node:path'
import type { BudgetStore } from './api/budget-store.ts'
import { type Api, createApi } from './api/client.ts'
import { createPostgresBudgetStore } from './api/postgres-budget-store.ts'
import { createRedisBudgetStore } from './api/redis-budget-store.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, ConfigInvalid } from './config.ts'
import type { Ehr } from './connectors/ehr/ehr.ts'
import { createFhirEhr } from './connectors/ehr/fhir/fhir-ehr.ts'
import { createMemoryEhr } from './connectors/ehr/memory/memory-ehr.ts'
import { createMissingEhr, createMissingPharmacy } from './connectors/not-configured.ts'
import { createMemoryPharmacy } from './connectors/pharmacy/memory/memory-pharmacy.ts'
import type { Pharmacy } from './connectors/pharmacy/pharmacy.ts'
import { createSignedHttpPharmacy } from './connectors/pharmacy/signed-http/signed-http-pharmacy.ts'
import { createAdmin } from './console/admin.ts'
import { createAnnounce } from './poll/sync.ts'
import type { AnyHandler } from './work/handler.ts'
import { type Breakers, createBreakers } from './systems/breakers.ts'
import { ownEvent } from './poll/own-event.ts'
import type { Ports } from './work/run-handler.ts'
import { startWorker } from './work/worker.ts'
import { isEventType } from './events/catalog.ts'
import { handlers as activeHandlers } from './integration/index.ts'
import { LedgerFileUnusable } from './ledger/sqlite/file.ts'
import type { Ledger } from './ledger/ledger.ts'
import { openLedger } from './ledger/open-ledger.ts'
import { startRetention } from './ledger/retention.ts'
import { createLog, type Log } from './log.ts'
import { createMetrics, type Metrics } from './console/metrics.ts'
import { createBullMqQueue } from './queue/bullmq-queue.ts'
import { createInProcessQueue } from './queue/in-process-queue.ts'
import type { Queue } from './queue/queue.ts'
import { createPressure } from './receive/pressure.ts'
import { createPublicApp } from './receive/public-app.ts'
import { createReceiver, type Receiver } from './receive/receiver.ts'
import { createVerify } from './receive/verify.ts'
import { startServer } from './server.ts'

/** What can be put in place of the parts that the settings would build. */
export interface Parts {
  queue?: Queue
  api?: Api
  ehr?: Ehr
  pharmacy?: Pharmacy
  handlers?: readonly AnyHandler[]
  clock?: Clock
  /** From 0 to 1, for jitter. */
  random?: () => number
  log?: Log
}

/** A running pawl. */
export interface Gateway {
  ledger: Ledger
  /** `http://host:port` of the public listener; absent in role `worker`. */
  url: string | undefined
  /** What listens there: mount it in an app of your own, in front of any body parser. Absent in role `worker`. */
  receiver: Receiver | undefined
  adminUrl: string
  /** Takes nothing new, finishes or gives back what is in work, and closes everything in reverse order. */
  close(): Promise<void>
}

/** The systems that work can wait for. */
const systems = ['api', 'ehr', 'pharmacy'] as const

/** Builds every part from the settings and starts it: the only place where parts meet. Rejects, with all it started closed again, when one cannot start. */
export async function startGateway(config: Config, parts: Parts = {}): Promise<Gateway> {
  const { clock = systemClock, random = Math.random, log = createLog({ level: config.logLevel }) } = parts
  const handlers = checkHandlers(parts.handlers ?? activeHandlers)
  const closers: (() => Promise<void>)[] = []
  const closeAll = async () => {
    for (const close of closers.splice(0).toReversed()) await close()
  }
  try {
    const ledger = await openConfiguredLedger(config, parts.clock, log)
    closers.push(() => ledger.close())
    const breakers = createBreakers({ systems, cooldownMs: config.breakerCooldownMs, outages: ledger, log })
    closers.push(() => Promise.resolve(breakers.close()))
    const metrics = createMetrics({ readCounts: () => ledger.counts(), readBreakers: breakers.states })

    const local = createInProcessQueue()
    const queue =
      parts.queue ?? (config.queueUrl === undefined ? local : createBullMqQueue({ url: config.queueUrl, log }))
    const works = config.role !== 'receiver'
    const enqueue = (resourceId: string) => {
      // The queue has said in the log that it is away; a process that works does without it.
      queue.enqueue(resourceId).catch(() => (works ? local.enqueue(resourceId) : undefined))
    }

    const budgetStore = works && config.queueUrl !== undefined ? createSharedBudgetStore(config.queueUrl) : undefined
    closers.push(() => Promise.resolve(budgetStore?.close()))
    let poll = () => {}
    if (works) {
      const worker = startWorker({
        ...config,
        portsFor: guardPorts(breakers, createPorts(config, parts, { metrics, log, ledger, enqueue, budgetStore })),
        ledger,
        queue,
        local,
        handlers,
        clock,
        random,
        log,
        count: (handler, result) => metrics.runs.inc({ handler, result }),
        countHold: (holdMs) => metrics.holds.observe(holdMs / 1_000),
      })
      poll = worker.poll
      closers.push(() => worker.close(config.shutdownGraceMs))
      const retention = startRetention({ ledger, keepMs: config.retentionMs, log })
      closers.push(() => retention.close())
    } else closers.push(() => queue.close())

    const admin = createAdmin({
      ledger,
      readBreakers: breakers.states,
      readAway: breakers.away,
      registry: metrics.registry,
      password: config.admin.password,
      enqueue,
      poll,
      announce: createAnnounce({ ledger, handlers, enqueue, log }),
      log,
    })
    const adminServer = await startServer((req, res) => void admin(req, res), config.admin, 'ADMIN_')
    closers.push(() => adminServer.close(config.shutdownGraceMs))

    let url: string | undefined
    let receiver: Receiver | undefined
    if (config.role !== 'worker') {
      const count = (outcome: string, code: string) => metrics.deliveries.inc({ outcome, code })
      const verify = await createVerify(config.webhookSecrets, () => clock.now())
      const pressure = createPressure({ maxInFlight: config.maxInFlight, folder: ledgerFolder(config.databaseUrl) })
      closers.push(() => Promise.resolve(pressure.close()))
      const { maxBodyBytes } = config
      receiver = createReceiver({ verify, ledger, enqueue, pressure, maxBodyBytes, log, count })
      const onUnreadable = (code: string) => {
        ledger.reject({ reason: 'unreadable', bytes: 0 })
        count('refused', 'unreadable')
        log.warn({ reason: 'unreadable', code }, 'delivery refused')
      }
      const server = await startServer(createPublicApp(receiver), config, '', onUnreadable)
      closers.push(() => server.close(config.shutdownGraceMs))
      url = server.url
      log.info({ address: `${url}/webhooks` }, 'receiving')
    }
    log.info({ address: adminServer.url, count: handlers.length }, 'pawl is running')
    return { ledger, url, receiver, adminUrl: adminServer.url, close: closeAll }
  } catch (error) {
    await closeAll()
    throw error
  }
}

interface PortDeps {
  metrics: Metrics
  log: Log
  ledger: Ledger
  enqueue: (resourceId: string) => void
  /** Shares the rate budget with other processes. */
  budgetStore: BudgetStore | undefined
}

async function openConfiguredLedger(config: Config, clock: Clock | undefined, log: Log): Promise<Ledger> {
  const onError = (error: Error) => log.warn({ component: 'ledger', error }, 'a connection to the ledger broke')
  const { databaseUrl, sealingKeys } = config
  try {
    return await openLedger({ databaseUrl, sealingKeys }, { clock, onError })
  } catch (error) {
    if (!(error instanceof LedgerFileUnusable)) throw error
    throw new ConfigInvalid(`No ledger can be kept at DATABASE_URL: ${error.message}.`)
  }
}

/** Where the ledger is on a disk of this machine: that disk must not fill up. */
function ledgerFolder(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('file:') ? dirname(databaseUrl.slice('file:'.length)) : undefined
}

/** Every call to another system goes through the breaker of that system. */
function guardPorts(breakers: Breakers, { api, ehr, pharmacy }: Ports): (resourceId: string) => Ports {
  return (resourceId) => ({
    api: breakers.guard('api', api, resourceId),
    ehr: breakers.guard('ehr', ehr, resourceId),
    pharmacy: breakers.guard('pharmacy', pharmacy, resourceId),
  })
}

function createPorts(config: Config, parts: Parts, deps: PortDeps) {
  const { log } = deps
  return {
    api: parts.api ?? createConfiguredApi(config, deps),
    ehr: parts.ehr ?? createConfiguredEhr(config, log),
    pharmacy: parts.pharmacy ?? createConfiguredPharmacy(config, log),
  }
}

/** Where the queue is shared, the rate budget is too. */
function createSharedBudgetStore(queueUrl: string): BudgetStore & { close(): Promise<void> | void } {
  return queueUrl.startsWith('postgres') ? createPostgresBudgetStore(queueUrl) : createRedisBudgetStore(queueUrl)
}

function createConfiguredApi(config: Config, { metrics, log, ledger, enqueue, budgetStore }: PortDeps): Api {
  if (config.api === undefined)
    throw new ConfigInvalid('Set API_BASE_URL and API_TOKEN: a worker asks the service how things stand.')
  return createApi({
    ...config.api,
    ...(budgetStore && { budgetStore }),
    onRequest: ({ method, route, status, durationMs }) =>
      metrics.requests.observe({ method, route, status }, durationMs / 1_000),
    // What pawl creates itself is followed from the start, even if no webhook ever speaks of it (docs/design.md, rule 9).
    async onCreated(kind, id) {
      const eventType = `${kind}.status_change` as const
      const about = { data: { id } }
      try {
        await ledger.accept(
          ownEvent({ resourceId: id, kind, eventType, source: 'api', title: 'Created by pawl', about }),
        )
        enqueue(id)
      } catch (error) {
        log.error({ resource_id: id, error }, 'created, but not noted: only a webhook will tell of it')
      }
    },
  })
}

function createConfiguredEhr(config: Config, log: Log): Ehr {
  if (config.fhir !== undefined) {
    const { token, ...server } = config.fhir
    return createFhirEhr({ ...server, ...(token === undefined ? {} : { token }) })
  }
  if (config.isProduction) {
    log.warn({ component: 'ehr' }, 'FHIR_BASE_URL is not set: what would be written to the EHR will park')
    return createMissingEhr()
  }
  log.warn({ component: 'ehr' }, 'FHIR_BASE_URL is not set: what is written to the EHR stays in memory')
  return createMemoryEhr()
}

function createConfiguredPharmacy(config: Config, log: Log): Pharmacy {
  if (config.pharmacy !== undefined) return createSignedHttpPharmacy(config.pharmacy)
  if (config.isProduction) {
    log.warn({ component: 'pharmacy' }, 'PHARMACY_URL is not set: what would be sent to the pharmacy will park')
    return createMissingPharmacy()
  }
  log.warn({ component: 'pharmacy' }, 'PHARMACY_URL is not set: what is sent to the pharmacy stays in memory')
  return createMemoryPharmacy()
}

/** Progress is kept by handler name, and a type that does not exist is never delivered: both faults would stay unseen for long. */
function checkHandlers(handlers: readonly AnyHandler[]): readonly AnyHandler[] {
  const names = new Set<string>()
  for (const { name, on } of handlers) {
    if (names.has(name))
      throw new ConfigInvalid(`Two handlers in src/integration/index.ts are named ${name}: give each its own name.`)
    names.add(name)
    const unknown = on.find((type: string) => !isEventType(type))
    if (unknown !== undefined)
      throw new ConfigInvalid(
        `Handler ${name} follows ${unknown}, which is not an event type: see src/events/catalog.ts.`,
      )
  }
  return handlers
}
