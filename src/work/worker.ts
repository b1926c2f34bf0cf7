import type { Clock } from '@pawl/base/clock'
import type { Log } from '@pawl/base/log'
import type { WatchedPauses } from '../systems/watched-pauses.ts'
import type { Queue } from '../queue/queue.ts'
import type { CatchUpDeps } from './catch-up.ts'
import type { Systems } from '../systems/systems.ts'
import { createDispatch, type DispatchDeps } from './dispatch.ts'
import type { AnyHandler } from './handler.ts'
import { createLoopWatch } from './loop-watch.ts'
import type { RetryPolicy } from './retry.ts'
import type { SnapshotDeps } from './snapshot.ts'
import { createSweeper, type SweeperDeps } from './sweeper.ts'

export interface WorkerDeps {
  ledger: DispatchDeps['ledger'] & SweeperDeps['ledger']
  systems: Pick<Systems, 'apiFor' | 'open' | 'digest' | 'systemOf'>
  pauses: WatchedPauses
  /** Also carries ids from other processes. */
  queue: Queue
  /** Carries this process's ids: the sweeper needs no other server. */
  local: Queue
  handlers: readonly AnyHandler[]
  /** All settings by name, for handlers. */
  settings: object
  /** Max resources in work at once. */
  concurrency: number
  /** Duration of a claim unless renewed, in milliseconds. */
  leaseMs: number
  /** Rest of a resource after a run, in milliseconds. */
  restMs: number
  retry: RetryPolicy
  sweepIntervalMs: number
  noteDrift: SnapshotDeps['noteDrift']
  pollDelayMs: SnapshotDeps['pollDelayMs']
  wakePollerIn: SnapshotDeps['wakePollerIn']
  clock: Clock
  /** From 0 to 1, for jitter. */
  random: () => number
  log: Log
  /** Counts one run. */
  count: CatchUpDeps['count']
  /** Counts a stall of the event loop, in milliseconds. */
  countStall: (stallMs: number) => void
}

/** The dispatch and the sweeper of one process. */
export interface Worker {
  /** Resources in work in this process. */
  inWork(this: void): number
  /** Takes no new work and finishes the claims in hand; releases the rest after `graceMs`. After an uncaught error (`crashed`) it abandons them: one of them may have thrown it. */
  close(graceMs: number, options?: { crashed: boolean }): Promise<void>
}

/** Starts dispatch and sweeper; they stop in reverse order. */
export function startWorker(deps: WorkerDeps): Worker {
  const { ledger, systems, pauses, queue, local, handlers, settings, concurrency } = deps
  const { leaseMs, restMs, retry, sweepIntervalMs, clock, random, log, count, countStall } = deps
  const { noteDrift, pollDelayMs, wakePollerIn } = deps
  const enqueue = (resourceId: string) => local.enqueue(resourceId)
  const sweeper = createSweeper({
    ledger,
    isAllPaused: pauses.isAllPaused,
    enqueue,
    intervalMs: sweepIntervalMs,
    leaseMs,
    log,
  })
  pauses.onResumed(() => sweeper.wakeIn(0))
  const watch = createLoopWatch({ log, count: countStall })
  const dispatch = createDispatch({
    ledger,
    systems,
    pauses,
    handlers,
    settings,
    leaseMs,
    restMs,
    retry,
    clock,
    random,
    log,
    count,
    watch,
    wakeIn: sweeper.wakeIn,
    noteDrift,
    pollDelayMs,
    wakePollerIn,
  })
  const queues = new Set([queue, local])
  for (const each of queues) each.start(dispatch.work, concurrency)
  sweeper.start()

  return {
    inWork: dispatch.inWork,
    async close(graceMs, { crashed } = { crashed: false }) {
      if (crashed) dispatch.abandon()
      await sweeper.close()
      const giveBack = setTimeout(() => dispatch.stop(), graceMs)
      await Promise.all([...queues].map((each) => each.close()))
      clearTimeout(giveBack)
      watch.close()
    },
  }
}
