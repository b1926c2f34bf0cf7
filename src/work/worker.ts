import type { WatchedPauses } from '../systems/watched-pauses.ts'
import type { Queue } from '../queue/queue.ts'
import { createDispatch, type DispatchDeps } from './dispatch.ts'
import { createLoopWatch } from './loop-watch.ts'
import { createSweeper, type SweeperDeps } from './sweeper.ts'

export interface WorkerDeps extends Omit<DispatchDeps, 'pauses' | 'watch' | 'wakeIn'> {
  ledger: DispatchDeps['ledger'] & SweeperDeps['ledger']
  pauses: WatchedPauses
  /** Also carries ids from other processes. */
  queue: Queue
  /** Carries this process's ids: the sweeper needs no other server. */
  local: Queue
  /** Max resources in work at once. */
  concurrency: number
  sweepIntervalMs: number
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
  const { ledger, pauses, queue, local, concurrency, leaseMs, sweepIntervalMs, log } = deps
  const sweeper = createSweeper({
    ledger,
    isAllPaused: pauses.isAllPaused,
    enqueue: (resourceId) => local.enqueue(resourceId),
    intervalMs: sweepIntervalMs,
    leaseMs,
    log,
  })
  pauses.onResumed(() => sweeper.wakeIn(0))
  const watch = createLoopWatch({ log, count: deps.countStall })
  const dispatch = createDispatch({ ...deps, watch, wakeIn: sweeper.wakeIn })
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
