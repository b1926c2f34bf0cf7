import { setTimeout as sleep } from 'node:timers/promises'
import { Queue as Jobs, Worker } from 'bullmq'
import { Redis, type RedisOptions } from 'ioredis'
import type { Log } from '../base/log.ts'
import { createOutageNote } from './outage-note.ts'
import { type Queue, QueueUnavailable, type Work } from './queue.ts'

/** All that a job holds. */
interface JobData {
  resourceId: string
}

const name = 'pawl'
/** How long enqueueing may take, in milliseconds: nobody waits for it, but it must not pile up while Redis hangs. */
const enqueueTimeoutMs = 2_000
/** How long Redis has to note that the last jobs are done, and to end a connection, in milliseconds; locks that are left expire by themselves. */
const closeTimeoutMs = 2_000
/** Events of its own that BullMQ keeps; pawl reads none. */
const eventsKept = 100

const timeout = () => sleep(closeTimeoutMs, undefined, { ref: false })

/** A queue for many processes, on BullMQ and Redis. Jobs hold a resource id, nothing else, and are removed when they finish. */
export function createRedisQueue({ url, log }: { url: string; log: Log }): Queue {
  const outage = createOutageNote(log, 'QUEUE_URL')
  const connect = (options: Pick<RedisOptions, 'maxRetriesPerRequest' | 'commandTimeout'>) => {
    const redis = new Redis(url, { retryStrategy: (times) => Math.min(times * 200, 2_000), ...options })
    return redis.on('error', outage.down)
  }
  // A failed connection rejects the jobs that waited for it: kept for longer, they would only be hidden from the sweeper.
  const redis = connect({ maxRetriesPerRequest: 0, commandTimeout: enqueueTimeoutMs }).on('ready', outage.up)
  const jobs = new Jobs<JobData>(name, {
    connection: redis,
    streams: { events: { maxLen: eventsKept } },
    // Waiting, or asking for the version, would fail for good where Redis is away at the start.
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
    // What fails is cut off all the same.
    await Promise.race([jobs.close(), timeout()]).catch(outage.down)
    // Lets jobs in hand get through, within their time; a Redis that is away is left.
    if (redis.status === 'ready') await redis.quit().catch(() => undefined)
    redis.disconnect()
  }

  return {
    async enqueue(resourceId) {
      try {
        await add(resourceId)
        outage.up()
      } catch (error) {
        if (closed === undefined) outage.down(error)
        throw new QueueUnavailable('Redis did not take the id: check QUEUE_URL and the Redis server.', { cause: error })
      }
    },
    start(work, concurrency) {
      const redis = connect({ maxRetriesPerRequest: null })
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
    /** Takes no more, waits for the work in hand, and disconnects, whether Redis answers or not. */
    async close(): Promise<void> {
      // Waiting for the jobs itself, BullMQ would wait for Redis too, for ever if need be.
      // Nothing new is taken once it was asked, whatever Redis answers.
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

/** BullMQ's codes for a job of which Redis knows nothing any more, after a flush or a restart: no fault, since the work itself was done. */
function isForgottenJob(error: Error): boolean {
  return 'code' in error && typeof error.code === 'number' && error.code < 0
}
