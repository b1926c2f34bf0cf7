import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts'
import { startRedis, type TestRedis } from '../test/support/redis.ts'
import { build } from './build.ts'
import { type Child, startChild } from './child.ts'

/** What scenarios play on: compiled servers, a Redis, a PostgreSQL and a folder for data, all gone at the end. */
export interface Stage {
  /** Starts `servers/<script>.js` in a process of its own, with these settings alone and these flags for Node; waits until it listens. */
  start(script: string, env?: Record<string, string>, flags?: readonly string[]): Promise<Child>
  /** One Redis for all, started when first asked for. */
  redis(): Promise<TestRedis>
  postgres(): Promise<TestPostgres>
  /** A path that no file has yet, on the disk that holds the project, since a tmpfs would make fsync free. */
  newFile(): Promise<string>
  close(): Promise<void>
}

export async function createStage(): Promise<Stage> {
  const folder = await build()
  const children = new Set<Child>()
  let redis: Promise<TestRedis> | undefined
  let postgres: Promise<TestPostgres> | undefined
  return {
    async start(script, env = {}, flags = []) {
      const child = await startChild(join(folder, 'bench', 'servers', `${script}.js`), env, flags)
      children.add(child)
      return child
    },
    redis: () => (redis ??= startRedis()),
    postgres: () => (postgres ??= startPostgres()),
    newFile: async () => join(await mkdtemp(join(folder, 'data-')), 'ledger.db'),
    async close() {
      await Promise.all([...children].map((child) => child.stop()))
      await (await redis)?.close()
      await (await postgres)?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
