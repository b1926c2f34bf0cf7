import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Work } from './queue.ts'

/** What takes jobs from BullMQ. */
export interface BullMqConsumer {
  /** Takes no more, waits for the work in hand, and disconnects, whether Redis answers or not. */
  close(): Promise<void>
}

/** How long Redis has to take the news that the last jobs are done, in milliseconds; without it their locks run out by themselves. */
const farewellMs = 2_000

/** Works on jobs that hold a resource id. `redis` must be this consumer's own; it is closed with it. */
export function startBullMqConsumer(
  queueName: string,
  {
    redis,
    work,
    concurrency,
    onError,
  }: { redis: Redis; work: Work; concurrency: number; onError: (error: unknown) => void },
): BullMqConsumer {
  const inHand = new Set<Promise<void>>()
  const worker = new Worker<{ resourceId: string }>(
    queueName,
    async (job) => {
      const working = work(job.data.resourceId)
      inHand.add(working)
      try {
        await working
      } finally {
        inHand.delete(working)
      }
    },
    { connection: redis, concurrency },
  )
  worker.on('error', (error) => {
    if (!isForgottenJob(error)) onError(error)
  })

  return {
    async close() {
      // Waiting for the jobs itself, BullMQ would wait for Redis too, for ever if need be.
      await worker.pause(true)
      await Promise.allSettled(inHand)
      const closed = worker.close(redis.status !== 'ready')
      const isClosed = await Promise.race([closed.then(() => true), sleep(farewellMs, false, { ref: false })])
      redis.disconnect()
      if (!isClosed) await Promise.race([closed, sleep(farewellMs, undefined, { ref: false })])
    },
  }
}

/** BullMQ's codes for a job of which Redis knows nothing any more, after a flush or a restart: no fault, since the work itself was done. */
function isForgottenJob(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number' && error.code < 0
}
