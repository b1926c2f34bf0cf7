import { AsyncResource } from 'node:async_hooks'
import type { Queue, Work } from './queue.ts'

/** Max waiting ids, which bounds memory when work is slow or stopped. The sweeper finds the rest. */
const maxWaiting = 10_000

/** A queue within one process: waiting ids are lost with it, and the sweeper finds their work again. */
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
      // Deferred, so that work never starts before the caller of `enqueue` has returned.
      setImmediate(next)
      return Promise.resolve()
    },
    start(work, concurrency) {
      // A handler that enqueues is not the context of the work.
      start = { work: AsyncResource.bind(work), concurrency }
      setImmediate(next)
    },
    async close() {
      start = undefined
      waiting.clear()
      await Promise.allSettled(inWork.values())
    },
  }
}
