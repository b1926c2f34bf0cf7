import { Queue, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { type BackendDeps, type BullMqBackend, eventsKept, type RingData, ringTimeoutMs } from './bullmq-backend.ts'

/** BullMQ on Redis. */
export function createBullMqOnRedis({ url, queueName, outage }: BackendDeps): BullMqBackend {
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>) => {
    const redis = new Redis(url, { retryStrategy: (times) => Math.min(times * 200, 2_000), ...options })
    return redis.on('error', outage.down)
  }

  return {
    server: 'Redis',
    openRings() {
      // A failed connection rejects the rings that waited for it: kept for longer, they would only be hidden from the sweeper.
      const redis = connect({ maxRetriesPerRequest: 0, commandTimeout: ringTimeoutMs })
      redis.on('ready', outage.up)
      const rings = new Queue<RingData>(queueName, {
        connection: redis,
        streams: { events: { maxLen: eventsKept } },
        // Waiting, or asking for the version, would fail for good where Redis is away at the start.
        skipWaitingForReady: true,
        skipVersionCheck: true,
      })
      rings.on('error', outage.down)
      return {
        rings,
        isUp: () => redis.status !== 'reconnecting',
        async disconnect() {
          // Lets rings in hand get through, within their time; a Redis that is away is left.
          if (redis.status === 'ready') await redis.quit().catch(() => undefined)
          redis.disconnect()
        },
      }
    },
    openWorker(process, concurrency) {
      const redis = connect({ maxRetriesPerRequest: null })
      return {
        worker: new Worker<RingData>(queueName, process, { connection: redis, concurrency }),
        isUp: () => redis.status === 'ready',
        disconnect: () => Promise.resolve(redis.disconnect()),
      }
    },
  }
}
