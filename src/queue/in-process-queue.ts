import type { Queue, Work } from './queue.ts'

/** Ids that wait at once; more are left to the sweeper, so that memory stays flat where nobody works, or not fast enough. */
const maxWaiting = 10_000

/** A queue within one process: the ids that wait are lost with it, and the sweeper finds their work again. */
export function createInProcessQueue(): Queue {
  const waiting = new Set<string>()
  const inWork = new Map<string, Promise<void>>()
  let start: { work: Work; concurrency: number } | undefined

  function next(): void {
    if (start === undefined) return
    for (const resourceId of waiting) {
      if (inWork.size >= start.concurrency) return
      if (inWork.has(resourceId)) continue
      waiting.delete(resourceId)
      inWork.set(resourceId, run(resourceId, start.work))
    }
  }

  async function run(resourceId: string, work: Work): Promise<void> {
    try {
      await work(resourceId)
    } finally {
      inWork.delete(resourceId)
      next()
    }
  }

  return {
    enqueue(resourceId) {
      if (waiting.size < maxWaiting) waiting.add(resourceId)
      // Later, so that enqueueing never runs work before its caller has returned.
      setImmediate(next)
      return Promise.resolve()
    },
    start(work, concurrency) {
      start = { work, concurrency }
      setImmediate(next)
    },
    async close() {
      start = undefined
      waiting.clear()
      await Promise.allSettled(inWork.values())
    },
  }
}
