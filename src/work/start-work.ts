import type { Api } from 'pawl-client/api/client'
import { createSharedBudgetStore } from 'pawl-client/api/shared-budget-store'
import type { NoteDrift } from 'pawl-client/events/drift-seen'
import type { Clock } from '@pawl/base/clock'
import type { Closers } from '@pawl/base/closers'
import type { Log } from '@pawl/base/log'
import type { Digest } from '@pawl/connector/digest'
import type { SystemsByName } from '@pawl/connector/system'
import type { Ledger } from '@pawl/ledger/ledger'
import type { Queues } from '../queue/open-queues.ts'
import type { Config } from '../settings/read-config.ts'
import type { Breakers } from '../systems/breakers.ts'
import { createSystems } from '../systems/systems.ts'
import { pauseSystems, type WatchedPauses } from '../systems/watched-pauses.ts'
import { namesByKind } from './backlog.ts'
import { type CatchUpDeps, createCatchUp } from './catch-up.ts'
import { createFollowedApi, type FollowedApiDeps } from './followed-api.ts'
import type { AnyHandler } from './handler.ts'
import { createLeases } from './lease.ts'
import { createLoopWatch } from './loop-watch.ts'
import { createPoller } from './poll/poller.ts'
import { createRequestStarter, type RequestStarter } from './start-request.ts'
import { startNightly } from './verify/nightly.ts'
import { verifiable } from './verify/read-back.ts'
import { createVerifier, type Verifier } from './verify/verifier.ts'
import { startWorker } from './worker.ts'

interface WorkDeps {
  config: Config
  ledger: Ledger
  systems: SystemsByName
  handlers: readonly AnyHandler[]
  breakers: Breakers
  pauses: WatchedPauses
  digest: Digest
  queues: Queues
  noteDrift: NoteDrift
  /** Replaces the client that the settings name. */
  api: Api | undefined
  onRequest: FollowedApiDeps['onRequest']
  /** Counts one run. */
  count: CatchUpDeps['count']
  /** Counts a stall of the event loop, in milliseconds. */
  countStall: (stallMs: number) => void
  clock: Clock
  random: () => number
  /** Aborts when the process stops. */
  stopping: AbortSignal
  closers: Closers
  log: Log
}

/** The running work of one process, for the other parts of that process. */
export interface Working {
  readSnapshot: Api['readSnapshot']
  /** Starts requests from the chart; absent without a system that drafts them. */
  requests: RequestStarter | undefined
  /** Reads back what a system holds; absent without a system that can be read. */
  verifier: Verifier | undefined
  /** Polls due resources now. */
  poll(this: void): void
  /** Resources in progress, plus one while it polls. */
  inWork(this: void): number
}

/** Starts worker and poller on the systems, behind breakers and pauses. Throws `ConfigInvalid`. */
export async function startWork(deps: WorkDeps): Promise<Working> {
  const { config, ledger, handlers, pauses, queues, noteDrift, clock, random, stopping, closers, log } = deps
  const { enqueue, local } = queues
  const budgetStore = config.sharedUrl === undefined ? undefined : await createSharedBudgetStore(config.sharedUrl)
  closers.add(() => budgetStore?.close())
  const api =
    deps.api ??
    createFollowedApi({ settings: config.api, budgetStore, ledger, noteDrift, enqueue, onRequest: deps.onRequest, log })
  const systems = createSystems({
    systems: deps.systems,
    api,
    breakers: pauseSystems(deps.breakers, pauses),
    digest: deps.digest,
  })
  closers.add(systems.close)
  const poller = createPoller({
    ledger,
    noteDrift,
    apiFor: systems.apiFor,
    enqueue: (resourceId) => local.enqueue(resourceId),
    isAllPaused: pauses.isAllPaused,
    intervalMs: config.pollIntervalMs,
    clock,
    log,
  })
  closers.addFront(poller.close)
  const watch = createLoopWatch({ log, count: deps.countStall })
  closers.add(watch.close)
  const catchUp = createCatchUp({
    ledger,
    systems,
    pauses,
    handlers,
    settings: config.settings,
    retry: config.retry,
    noteDrift,
    wakePollerIn: poller.wakeIn,
    watch,
    count: deps.count,
    clock,
    random,
    log,
  })
  const leases = createLeases({ ledger, leaseMs: config.leaseMs, handlerNames: namesByKind(handlers) })
  const worker = startWorker({
    ledger,
    catchUp,
    leases,
    pauses,
    queues,
    concurrency: config.concurrency,
    restMs: config.restMs,
    sweepIntervalMs: config.sweepIntervalMs,
    log,
  })
  closers.addFront((graceMs, options) => worker.close(graceMs, options))
  poller.start()
  const [readable] = verifiable(deps.systems)
  if (readable?.system.verifyAt !== undefined) {
    const { name } = readable
    const nightly = startNightly({
      ...readable,
      at: readable.system.verifyAt,
      digest: deps.digest,
      ledger,
      isPaused: async () => pauses.isAllPaused() || pauses.isPaused({ kind: 'system', name }),
      clock,
      log,
    })
    closers.addFront(nightly.close)
  }
  const draft = Object.values(deps.systems).find((system) => system.draft !== undefined)?.draft
  return {
    readSnapshot: api.readSnapshot,
    requests:
      draft &&
      createRequestStarter({ system: { draft }, ledger, apiFor: systems.apiFor, enqueue, signal: stopping, log }),
    verifier: readable && createVerifier({ ...readable, systems, ledger, leases, signal: stopping, log }),
    poll: poller.wake,
    inWork: () => worker.inWork() + (poller.isPolling() ? 1 : 0),
  }
}
