import { setTimeout as sleep } from 'node:timers/promises'
import { PawlError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type BullMqConsumer, startBullMqConsumer } from './bullmq-consumer.ts'
import { createBullMqOnPostgres } from './bullmq-postgres.ts'
import { createBullMqOnRedis } from './bullmq-redis.ts'
import { createOutageNote } from './outage-note.ts'
import type { Queue } from './queue.ts'

/** How long the server has to end a connection, in milliseconds. */
const closeTimeoutMs = 2_000

/** The id did not reach the queue; the sweeper will find the work. */
export class QueueUnavailable extends PawlError {
  readonly code = 'queue_unavailable'
  override readonly retry = 'backoff'
}

/** A queue for many processes, on BullMQ and, by the scheme of `url`, Redis or PostgreSQL. Jobs hold a resource id, nothing else, and are removed when they finish. */
export function createBullMqQueue({ url, log }: { url: string; log: Log }): Queue {
  const outage = createOutageNote(log)
  const createBackend = url.startsWith('postgres') ? createBullMqOnPostgres : createBullMqOnRedis
  const backend = createBackend({ url, queueName: 'pawl', outage })
  const { jobs, isUp, disconnect } = backend.openJobs()
  let consumer: BullMqConsumer | undefined
  let closed: Promise<unknown> | undefined

  async function add(resourceId: string): Promise<void> {
    if (closed !== undefined) throw new Error('the queue is closed')
    if (!isUp()) throw new Error('waiting to connect again')
    await jobs.add(
      'enqueue',
      { resourceId },
      { deduplication: { id: resourceId, keepLastIfActive: true }, removeOnComplete: true, removeOnFail: true },
    )
  }

  async function closeJobs(): Promise<void> {
    // What fails is cut off all the same.
    await Promise.race([jobs.close(), sleep(closeTimeoutMs, undefined, { ref: false })]).catch(outage.down)
    await disconnect()
  }

  return {
    async enqueue(resourceId) {
      try {
        await add(resourceId)
        outage.up()
      } catch (error) {
        if (closed === undefined) outage.down(error)
        const message = `${backend.server} did not take the id: check QUEUE_URL and the ${backend.server} server.`
        throw new QueueUnavailable(message, { cause: error })
      }
    },
    start(work, concurrency) {
      consumer = startBullMqConsumer(backend, { work, concurrency, onError: outage.down })
    },
    async close() {
      closed ??= Promise.allSettled([consumer?.close(), closeJobs()])
      await closed
    },
  }
}
