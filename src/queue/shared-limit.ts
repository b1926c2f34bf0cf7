import type { Queue, Work } from './queue.ts'

/** Puts a queue under the limit. */
export type ShareLimit = (queue: Queue) => Queue

/** Makes a limit for all queues of one process: together they work on as many resources at once as each was started for, in the order in which their ids come up. */
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
        // What still waited for its turn then is left to the sweeper of the next process.
        if (!isClosed) await work(resourceId)
      } finally {
        const next = waiting.shift()
        // Whoever ends hands its place over.
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
