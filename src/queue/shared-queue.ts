import type { Log } from '../base/log.ts'
import { createPostgresQueue } from './postgres-queue.ts'
import type { Queue } from './queue.ts'
import { createRedisQueue } from './redis-queue.ts'

/** A queue for many processes, on Redis or PostgreSQL by the scheme of `url`. */
export function createSharedQueue(deps: { url: string; log: Log }): Queue {
  return deps.url.startsWith('postgres') ? createPostgresQueue(deps) : createRedisQueue(deps)
}
