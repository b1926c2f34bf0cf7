import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Holds } from '../systems/holds.ts'
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
  holds: Holds
  /** Carries ids from other processes, too. */
  queue: Queue
  /** Carries this process's own: the sweeper needs no other server to get work done. */
  local: Queue
  handlers: readonly AnyHandler[]
  /** The values of all settings by name, for handlers. */
  settings: object
  /** Resources worked on at once. */
  concurrency: number
  /** How long a claim lasts unless renewed, in milliseconds. */
  leaseMs: number
  /** How long a resource rests after a run, in milliseconds. */
  restMs: number
  retry: RetryPolicy
  sweepIntervalMs: number
  pollDelayMs: SnapshotDeps['pollDelayMs']
  wakePollerIn: SnapshotDeps['wakePollerIn']
  clock: Clock
  /** From 0 to 1, for jitter. */
  random: () => number
  log: Log
  /** Counts one run. */
  count: CatchUpDeps['count']
  /** Counts a hold-up of the event loop, in milliseconds. */
  countHold: (holdMs: number) => void
}

/** All that works on resources in one process. */
export interface Worker {
  /** Resources in work in this process. */
  inWork(this: void): number
  /** Takes no new work, finishes what is in hand or, after `graceMs`, gives it back. After an error that nobody caught (`crashed`) what is in hand is cut short and counts as lost, since it may be what threw. */
  close(graceMs: number, options?: { crashed: boolean }): Promise<void>
}

/** Starts dispatch and sweeper; they stop in reverse order. */
export function startWorker(deps: WorkerDeps): Worker {
  const { ledger, systems, holds, queue, local, handlers, settings, concurrency } = deps
  const { leaseMs, restMs, retry, sweepIntervalMs, pollDelayMs, wakePollerIn, clock, random, log, count, countHold } =
    deps
  const enqueue = (resourceId: string) => local.enqueue(resourceId)
  const sweeper = createSweeper({
    ledger,
    isAllHeld: holds.isAllHeld,
    enqueue,
    intervalMs: sweepIntervalMs,
    leaseMs,
    log,
  })
  holds.onLifted(() => sweeper.wakeIn(0))
  const watch = createLoopWatch({ log, count: countHold })
  const dispatch = createDispatch({
    ledger,
    systems,
    holds,
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
