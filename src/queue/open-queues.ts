import type { Log } from '@pawl/base/log'
import { inSpan } from '@pawl/base/tracing/span'
import { createInProcessQueue } from './in-process-queue.ts'
import type { Queue, Work } from './queue.ts'
import { createSharedQueue } from './shared-queue.ts'

/** The queues of one process, with one limit for both. */
export interface Queues {
  /** Carries this process's ids: it needs no server. */
  local: Queue
  /** Also carries ids of other processes; `local` if there is only one process. */
  queue: Queue
  /** Wakes a worker for the resource; never throws. */
  enqueue(this: void, resourceId: string): void
}

interface QueuesDeps {
  /** The server that several processes share. */
  sharedUrl: string | undefined
  /** Replaces the queue that the settings name. */
  given: Queue | undefined
  /** Whether this process has workers. */
  works: boolean
  log: Log
}

export async function openQueues({ sharedUrl, given, works, log }: QueuesDeps): Promise<Queues> {
  const shareLimit = createSharedLimit()
  const local = shareLimit(createInProcessQueue())
  const shared = sharedUrl === undefined ? undefined : await createSharedQueue({ url: sharedUrl, log })
  const queue = given ?? (shared === undefined ? local : shareLimit(shared))
  return {
    local,
    queue,
    enqueue(resourceId) {
      // The queue has already logged its outage; a process with workers falls back to its local queue.
      tracedWake(queue, resourceId).catch(() => (works ? local.enqueue(resourceId) : undefined))
    },
  }
}

/** Applies the limit to a queue. */
export type ShareLimit = (queue: Queue) => Queue

/** Makes a concurrency limit shared by all queues of one process, with slots in arrival order. */
export function createSharedLimit(): ShareLimit {
  const waiting: (() => void)[] = []
  let inWork = 0
  let isClosed = false

  const limit =
    (work: Work, concurrency: number): Work =>
    async (resourceId) => {
      if (inWork >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve))
      else inWork += 1
      try {
        // After closing, waiting ids are left to the sweeper of the next process.
        if (!isClosed) await work(resourceId)
      } finally {
        const next = waiting.shift()
        // Passes the slot on.
        if (next === undefined) inWork -= 1
        else next()
      }
    }

  return (queue) => ({
    enqueue: (resourceId) => queue.enqueue(resourceId),
    start: (work, concurrency) => queue.start(limit(work, concurrency), concurrency),
    outage: () => queue.outage?.(),
    async close() {
      isClosed = true
      await queue.close()
    },
  })
}

/** Display name of the queue. */
export function queueNameOf(sharedUrl: string | undefined): string {
  if (sharedUrl === undefined) return 'this process'
  return sharedUrl.startsWith('postgres') ? 'PostgreSQL' : 'Redis'
}

/** Enqueues the id within a span of the delivery or run that requests it. */
function tracedWake(queue: Queue, resourceId: string): Promise<void> {
  const attributes = {
    'messaging.system': 'pawl',
    'messaging.destination.name': 'pawl.work',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'pawl.resource.id': resourceId,
  }
  return inSpan('send pawl.work', { kind: 'producer', attributes }, () => queue.enqueue(resourceId))
}
