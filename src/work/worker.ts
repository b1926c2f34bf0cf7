import type { Log } from '@pawl/base/log'
import type { Queues } from '../queue/open-queues.ts'
import type { WatchedPauses } from '../systems/watched-pauses.ts'
import { createDispatch, type DispatchDeps } from './dispatch.ts'
import { createSweeper, type SweeperDeps } from './sweeper.ts'

interface WorkerDeps extends Pick<DispatchDeps, 'catchUp' | 'leases' | 'restMs'> {
  ledger: DispatchDeps['ledger'] & SweeperDeps['ledger']
  pauses: WatchedPauses
  queues: Pick<Queues, 'queue' | 'local'>
  /** Max resources in progress at once. */
  concurrency: number
  sweepIntervalMs: number
  log: Log
}

/** The dispatch and the sweeper of one process. */
export interface Worker {
  /** Resources in progress in this process. */
  inWork(this: void): number
  /** Takes no new work, finishes the current claims, and releases the rest after `graceMs`. After an uncaught error (`crashed`), abandons them, since one of them may have thrown it. */
  close(graceMs: number, options?: { crashed: boolean }): Promise<void>
}

/** Starts dispatch and sweeper; they stop in reverse order. */
export function startWorker({ pauses, queues, concurrency, sweepIntervalMs, ...deps }: WorkerDeps): Worker {
  const sweeper = createSweeper({
    ledger: deps.ledger,
    isAllPaused: pauses.isAllPaused,
    enqueue: (resourceId) => queues.local.enqueue(resourceId),
    intervalMs: sweepIntervalMs,
    leases: deps.leases,
    log: deps.log,
  })
  pauses.onResumed(() => sweeper.wakeIn(0))
  const dispatch = createDispatch({ ...deps, pauses, wakeIn: sweeper.wakeIn })
  const all = new Set([queues.queue, queues.local])
  for (const each of all) each.start(dispatch.work, concurrency)
  sweeper.start()

  return {
    inWork: dispatch.inWork,
    async close(graceMs, { crashed } = { crashed: false }) {
      if (crashed) dispatch.abandon()
      await sweeper.close()
      const giveBack = setTimeout(() => dispatch.stop(), graceMs)
      await Promise.all([...all].map((each) => each.close()))
      clearTimeout(giveBack)
    },
  }
}
