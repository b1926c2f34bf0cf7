import type { Queue, Work } from './queue.ts'

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
