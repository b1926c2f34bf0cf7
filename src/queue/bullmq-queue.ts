import { Queue as BullQueue } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { PawlError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type BullMqConsumer, startBullMqConsumer } from './bullmq-consumer.ts'
import { createOutageNote } from './outage-note.ts'
import type { Queue } from './queue.ts'

/** The ring did not get through; the sweeper will find the work. */
export class QueueUnavailable extends PawlError {
  readonly code = 'queue_unavailable'
  override readonly retry = 'backoff'
}

const queueName = 'pawl'

/** How long a ring may take, in milliseconds: nobody waits for it, but it must not pile up while Redis hangs. */
const ringTimeoutMs = 2_000

/** Events of its own that BullMQ keeps in Redis; pawl reads none. */
const eventsKept = 100

/** A doorbell for many processes, on BullMQ and Redis. Jobs hold a resource id, nothing else, and are removed when they finish. */
export function createBullMqQueue({ url, log }: { url: string; log: Log }): Queue {
  const outage = createOutageNote(log)
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>) => {
    const redis = new Redis(url, { retryStrategy: (times) => Math.min(times * 200, 2_000), ...options })
    return redis.on('error', outage.down)
  }
  // A failed connection rejects the rings that waited for it: kept for longer, they would only be hidden from the sweeper.
  const ringing = connect({ maxRetriesPerRequest: 0, commandTimeout: ringTimeoutMs })
  ringing.on('ready', outage.up)
  const rings = new BullQueue<{ resourceId: string }>(queueName, {
    connection: ringing,
    streams: { events: { maxLen: eventsKept } },
    // Waiting, or asking for the version, would fail for good where Redis is away at the start.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  })
  rings.on('error', outage.down)
  let consumer: BullMqConsumer | undefined

  async function add(resourceId: string): Promise<void> {
    if (ringing.status === 'reconnecting') throw new Error('waiting to connect again')
    await rings.add(
      'ring',
      { resourceId },
      { deduplication: { id: resourceId, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
    )
  }

  async function closeRings(): Promise<void> {
    await rings.close()
    // Lets rings in hand get through, within their time; a Redis that is away is left.
    if (ringing.status === 'ready') await ringing.quit().catch(() => undefined)
    ringing.disconnect()
  }

  return {
    async ring(resourceId) {
      try {
        await add(resourceId)
        outage.up()
      } catch (error) {
        outage.down(error)
        const message = 'Redis did not take the ring: check QUEUE_URL and the Redis server.'
        throw new QueueUnavailable(message, { cause: error })
      }
    },
    start(work, concurrency) {
      const redis = connect({ maxRetriesPerRequest: null })
      consumer = startBullMqConsumer(queueName, { redis, work, concurrency, onError: outage.down })
    },
    async close() {
      await Promise.all([consumer?.close(), closeRings()])
    },
  }
}
