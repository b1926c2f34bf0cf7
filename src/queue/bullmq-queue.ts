import { Queue as BullQueue, Worker } from 'bullmq'
import { PawlError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Queue } from './queue.ts'

/** The ring did not get through; the sweeper will find the work. */
export class QueueUnavailable extends PawlError {
  readonly code = 'queue_unavailable'
  override readonly retry = 'backoff'
}

const queueName = 'pawl'

/** How long a ring may take, in milliseconds: nobody waits for it, but it must not pile up while Redis hangs. */
const ringTimeoutMs = 5_000

/** A doorbell for many processes, on BullMQ and Redis. Jobs hold a resource id, nothing else, and are removed when they finish. */
export function createBullMqQueue({ url, log }: { url: string; log: Log }): Queue {
  const connection = { url, retryStrategy: (times: number) => Math.min(times * 200, 2_000) }
  // Rings fail at once while Redis is away: keeping them in memory would only hide that from the sweeper.
  const rings = new BullQueue<{ resourceId: string }>(queueName, {
    connection: { ...connection, enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: ringTimeoutMs },
    skipWaitingForReady: true,
  })
  const noteOutage = createOutageNote(log)
  rings.on('error', noteOutage.down)
  let worker: Worker<{ resourceId: string }> | undefined

  return {
    async ring(resourceId) {
      try {
        await rings.add(
          'ring',
          { resourceId },
          {
            deduplication: { id: resourceId, keepLastIfActive: true },
            removeOnComplete: true,
            removeOnFail: true,
          },
        )
        noteOutage.up()
      } catch (error) {
        noteOutage.down(error)
        throw new QueueUnavailable('Redis did not take the ring: check QUEUE_URL and the Redis server.', {
          cause: error,
        })
      }
    },
    start(work, concurrency) {
      worker = new Worker<{ resourceId: string }>(queueName, (job) => work(job.data.resourceId), {
        connection: { ...connection, maxRetriesPerRequest: null },
        concurrency,
      })
      worker.on('error', noteOutage.down)
      worker.on('ready', noteOutage.up)
    },
    async close() {
      await worker?.close()
      await rings.close()
    },
  }
}

/** Says once that the queue went away and once that it came back, however many calls fail in between. */
function createOutageNote(log: Log) {
  let isDown = false
  return {
    down(this: void, error: unknown) {
      if (!isDown) log.warn({ component: 'queue', error }, 'queue unavailable: the sweeper takes over')
      isDown = true
    },
    up(this: void) {
      if (isDown) log.info({ component: 'queue' }, 'queue available again')
      isDown = false
    },
  }
}
