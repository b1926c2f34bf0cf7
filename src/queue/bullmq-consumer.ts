import { setTimeout as sleep } from 'node:timers/promises'
import type { BullMqBackend } from './bullmq-backend.ts'
import type { Work } from './queue.ts'

/** What takes jobs from BullMQ. */
export interface BullMqConsumer {
  /** Takes no more, waits for the work in hand, and disconnects, whether the server answers or not. */
  close(): Promise<void>
}

/** How long the server has to note that the last jobs are done, in milliseconds; otherwise their locks expire by themselves. */
const closeTimeoutMs = 2_000

/** Works on jobs that hold a resource id. */
export function startBullMqConsumer(
  backend: BullMqBackend,
  { work, concurrency, onError }: { work: Work; concurrency: number; onError: (error: unknown) => void },
): BullMqConsumer {
  const inHand = new Set<Promise<void>>()
  const { worker, isUp, disconnect } = backend.openWorker(async (job) => {
    const working = work(job.data.resourceId)
    inHand.add(working)
    try {
      await working
    } finally {
      inHand.delete(working)
    }
  }, concurrency)
  worker.on('error', (error) => {
    if (!isForgottenJob(error)) onError(error)
  })

  return {
    async close() {
      // Waiting for the jobs itself, BullMQ would wait for the server too, for ever if need be.
      // Nothing new is taken once it was asked, whatever the server answers.
      const paused = worker.pause(true).catch(onError)
      await Promise.race([paused, sleep(closeTimeoutMs, undefined, { ref: false })])
      await Promise.allSettled(inHand)
      const closed = worker.close(!isUp()).catch(onError)
      const isClosed = await Promise.race([closed.then(() => true), sleep(closeTimeoutMs, false, { ref: false })])
      await disconnect()
      if (!isClosed) await Promise.race([closed, sleep(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}

/** BullMQ's codes for a job of which the server knows nothing any more, after a flush or a restart: no fault, since the work itself was done. */
function isForgottenJob(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number' && error.code < 0
}
