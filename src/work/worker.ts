import type { Queue } from '../queue/queue.ts'
import { createDispatch, type DispatchDeps } from './dispatch.ts'
import { createLoopWatch } from './loop-watch.ts'
import { pollDelayMs } from '../poll/pace.ts'
import { createPoller } from '../poll/poller.ts'
import { createSweeper } from './sweeper.ts'

export interface WorkerDeps extends Omit<DispatchDeps, 'wakeIn' | 'watch' | 'pollDelayMs' | 'wakePollerIn'> {
  /** Carries ids from other processes, too. */
  queue: Queue
  /** Carries this process's own: the sweeper needs no other server to get work done. */
  local: Queue
  concurrency: number
  sweepIntervalMs: number
  pollIntervalMs: number
  /** Counts a hold-up of the event loop, in milliseconds. */
  countHold: (holdMs: number) => void
}

/** All that does the work of one process. */
export interface Worker {
  /** Polls what is due to be polled, now. */
  poll(this: void): void
  /** Takes no new work, finishes what is in work or, after `graceMs`, gives it back. After an error that nobody caught (`crashed`) what is in work is cut short and counts as lost, since it may be what threw. */
  close(graceMs: number, options?: { crashed: boolean }): Promise<void>
}

/** Starts dispatch, sweeper and poller; they stop in reverse order. */
export function startWorker({
  queue,
  local,
  concurrency,
  sweepIntervalMs,
  pollIntervalMs,
  countHold,
  ...deps
}: WorkerDeps): Worker {
  const { ledger, portsFor, leaseMs, log } = deps
  const enqueue = (resourceId: string) => local.enqueue(resourceId)
  const sweeper = createSweeper({ ledger, enqueue, intervalMs: sweepIntervalMs, leaseMs, log })
  const watch = createLoopWatch({ log, count: countHold })
  const poller = createPoller({ ledger, portsFor, enqueue, intervalMs: pollIntervalMs, log })
  const { wakeIn } = sweeper
  const dispatch = createDispatch({ ...deps, watch, wakeIn, pollDelayMs, wakePollerIn: poller.wakeIn })
  const queues = new Set([queue, local])
  for (const each of queues) each.start(dispatch.work, concurrency)
  sweeper.start()
  poller.start()

  return {
    poll: poller.wake,
    async close(graceMs, { crashed } = { crashed: false }) {
      if (crashed) dispatch.abandon()
      await poller.close()
      await sweeper.close()
      const giveBack = setTimeout(() => dispatch.stop(), graceMs)
      await Promise.all([...queues].map((each) => each.close()))
      clearTimeout(giveBack)
      watch.close()
    },
  }
}
