import type { Log } from '@pawl/base/log'
import type { Queue } from './queue.ts'

/** A queue for many processes, on Redis or PostgreSQL by the scheme of `url`. */
export async function createSharedQueue(deps: { url: string; log: Log }): Promise<Queue> {
  if (deps.url.startsWith('postgres')) return (await import('./postgres-queue.ts')).createPostgresQueue(deps)
  return (await import('./redis-queue.ts')).createRedisQueue(deps)
}
