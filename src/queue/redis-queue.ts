import { setTimeout as sleep } from 'node:timers/promises'
import { Queue as Jobs, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import type { Log } from '@pawl/base/log'
import { openRedis, type RedisUnfit } from '@pawl/base/net/redis-connection'
import { createOutageNote } from './outage-note.ts'
import { type Queue, QueueUnavailable, type Work } from './queue.ts'

interface JobData {
  resourceId: string
}

const name = 'pawl'
/** Time limit of enqueueing, in milliseconds: calls must not pile up while Redis hangs. */
const enqueueTimeoutMs = 2_000
/** Time limit for Redis to record the last jobs and to end a connection, in milliseconds; leftover locks expire. */
const closeTimeoutMs = 2_000
/** Events that BullMQ stores for itself; pawl reads none. */
const eventsKept = 100

const timeout = () => sleep(closeTimeoutMs, undefined, { ref: false })

/** A queue for many processes, on BullMQ and Redis. Jobs hold only a resource id and are removed when they finish. */
export function createRedisQueue({ url, log }: { url: string; log: Log }): Queue {
  const outage = createOutageNote(log, 'QUEUE_URL')
  let unfit: RedisUnfit | undefined
  // A failed connection rejects waiting jobs at once: keeping them would only delay the sweeper.
  const redis = openRedis(url, { maxRetriesPerRequest: 0, commandTimeout: enqueueTimeoutMs }, (why) => {
    unfit = why
    outage.down(why)
  })
  redis.on('error', outage.down).on('ready', () => {
    unfit = undefined
    outage.up()
  })
  const jobs = new Jobs<JobData>(name, {
    connection: redis,
    streams: { events: { maxLen: eventsKept } },
    // Waiting for Redis, or checking its version, would fail permanently if Redis is down at the start.
    skipWaitingForReady: true,
    skipVersionCheck: true,
  }).on('error', outage.down)
  let consumer: ReturnType<typeof startConsumer> | undefined
  let closed: Promise<unknown> | undefined

  async function add(resourceId: string): Promise<void> {
    if (closed !== undefined) throw new Error('the queue is closed')
    if (redis.status === 'reconnecting') throw new Error('waiting to connect again')
    await jobs.add(
      'enqueue',
      { resourceId },
      { deduplication: { id: resourceId, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
    )
  }

  async function closeJobs(): Promise<void> {
    // Disconnect even if this fails.
    await Promise.race([jobs.close(), timeout()]).catch(outage.down)
    // Lets pending commands finish within their time limit, unless Redis is down.
    if (redis.status === 'ready') await redis.quit().catch(() => undefined)
    redis.disconnect()
  }

  return {
    async enqueue(resourceId) {
      try {
        await add(resourceId)
        outage.up()
      } catch (error) {
        if (closed === undefined) outage.down(unfit ?? error)
        throw new QueueUnavailable('Redis did not take the id: check QUEUE_URL and the Redis server.', { cause: error })
      }
    },
    start(work, concurrency) {
      const redis = openRedis(url, { maxRetriesPerRequest: null }).on('error', outage.down)
      consumer = startConsumer({ redis, work, concurrency, onError: outage.down })
    },
    outage: outage.read,
    async close() {
      closed ??= Promise.allSettled([consumer?.close(), closeJobs()])
      await closed
    },
  }
}

interface ConsumerDeps {
  redis: Redis
  work: Work
  concurrency: number
  onError: (error: unknown) => void
}

/** Takes jobs from BullMQ. */
function startConsumer({ redis, work, concurrency, onError }: ConsumerDeps) {
  const inHand = new Set<Promise<void>>()
  const process = async (job: { data: JobData }) => {
    const working = work(job.data.resourceId)
    inHand.add(working)
    try {
      await working
    } finally {
      inHand.delete(working)
    }
  }
  const worker = new Worker<JobData>(name, process, { connection: redis, concurrency })
  worker.on('error', (error) => {
    if (!isForgottenJob(error)) onError(error)
  })

  return {
    /** Stops accepting work, waits for work in progress, and disconnects, even if Redis does not answer. */
    async close(): Promise<void> {
      // BullMQ's own wait for jobs would also wait for Redis, possibly forever.
      // After this call it takes no new jobs, even if Redis does not answer.
      const paused = worker.pause(true).catch(onError)
      await Promise.race([paused, timeout()])
      await Promise.allSettled(inHand)
      const closed = worker.close(redis.status !== 'ready').catch(onError)
      const isClosed = await Promise.race([closed.then(() => true), timeout()])
      redis.disconnect()
      if (isClosed !== true) await Promise.race([closed, timeout()])
    },
  }
}

/** BullMQ's codes for a job that Redis lost in a flush or restart: no fault, since the work itself was done. */
function isForgottenJob(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number' && error.code < 0
}
