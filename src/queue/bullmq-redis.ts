import { Queue, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import { type BackendDeps, type BullMqBackend, eventsKept, type JobData, enqueueTimeoutMs } from './bullmq-backend.ts'

/** BullMQ on Redis. */
export function createBullMqOnRedis({ url, queueName, outage }: BackendDeps): BullMqBackend {
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>) => {
    const redis = new Redis(url, { retryStrategy: (times) => Math.min(times * 200, 2_000), ...options })
    return redis.on('error', outage.down)
  }

  return {
    server: 'Redis',
    openJobs() {
      // A failed connection rejects the jobs that waited for it: kept for longer, they would only be hidden from the sweeper.
      const redis = connect({ maxRetriesPerRequest: 0, commandTimeout: enqueueTimeoutMs })
      redis.on('ready', outage.up)
      const jobs = new Queue<JobData>(queueName, {
        connection: redis,
        streams: { events: { maxLen: eventsKept } },
        // Waiting, or asking for the version, would fail for good where Redis is away at the start.
        skipWaitingForReady: true,
        skipVersionCheck: true,
      })
      jobs.on('error', outage.down)
      return {
        jobs,
        isUp: () => redis.status !== 'reconnecting',
        async disconnect() {
          // Lets jobs in hand get through, within their time; a Redis that is away is left.
          if (redis.status === 'ready') await redis.quit().catch(() => undefined)
          redis.disconnect()
        },
      }
    },
    openWorker(process, concurrency) {
      const redis = connect({ maxRetriesPerRequest: null })
      return {
        worker: new Worker<JobData>(queueName, process, { connection: redis, concurrency }),
        isUp: () => redis.status === 'ready',
        disconnect: () => Promise.resolve(redis.disconnect()),
      }
    },
  }
}
