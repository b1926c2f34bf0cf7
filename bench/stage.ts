import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import type { TestPostgres } from '../test/support/postgres.ts'
import type { TestRedis } from '../test/support/redis.ts'
import { build } from './build.ts'
import { type Child, startChild } from './child.ts'
import { parentOf } from './cpu.ts'
import { assertDurable, processOf } from './postgres.ts'

/** A server that a contender needs could not be started; the message says what to do. */
export class ServerMissing extends Error {
  constructor(name: string, packageName: string, cause?: unknown) {
    super(`${name} could not be started: install the system package ${packageName}`, { cause })
  }
}

/** A server that one contender has for itself. */
export interface OwnServer {
  url: string
  /** Its process. */
  pid: number
  close(): Promise<void>
}

/** Stage of the scenarios: compiled servers, a Redis, a PostgreSQL and a folder for data, all gone at the end. */
export interface Stage {
  /** Starts `servers/<script>.js` in a process of its own, with these settings alone; waits until it listens. */
  start(script: string, env?: Record<string, string>): Promise<Child>
  /** One Redis for all, started when first asked for. Rejects with `ServerMissing`. */
  redis(): Promise<TestRedis>
  /** Likewise; it is as durable as PostgreSQL is by default, with its data on a disk. */
  postgres(): Promise<TestPostgres>
  /** Another Redis, with these options of its command line and its files on the project's disk. */
  ownRedis(options: readonly string[]): Promise<OwnServer>
  /** Another PostgreSQL, as durable; the address is of a new database. */
  ownPostgres(): Promise<OwnServer>
  /** A path that no file has yet, on the disk that holds the project, since a tmpfs would make fsync free. */
  newFile(): Promise<string>
  close(): Promise<void>
}

export async function createStage(): Promise<Stage> {
  const folder = await build()
  const children = new Set<Child>()
  let redis: Promise<TestRedis> | undefined
  let postgres: Promise<TestPostgres> | undefined
  const own = new Set<{ close(): Promise<void> }>()
  const newFile = async () => join(await mkdtemp(join(folder, 'data-')), 'ledger.db')

  function owned(server: { close(): Promise<void> }): () => Promise<void> {
    own.add(server)
    return async () => {
      own.delete(server)
      await server.close()
    }
  }

  return {
    async start(script, env = {}) {
      const servers = join(folder, 'bench', 'servers')
      const preload = ['--import', join(servers, 'name-threads.js')]
      const child = await startChild(join(servers, `${script}.js`), env, preload)
      children.add(child)
      return child
    },
    redis: () => (redis ??= startRedis()),
    postgres: () => (postgres ??= startPostgres()),
    async ownRedis(options) {
      const server = await startRedis('--dir', dirname(await newFile()), ...options)
      const close = owned(server)
      return { url: server.url, pid: await processOfRedis(server.url), close }
    },
    async ownPostgres() {
      const server = await startPostgres()
      const close = owned(server)
      const url = await server.createDatabase()
      return { url, pid: parentOf(await processOf(url)), close }
    },
    newFile,
    async close() {
      await Promise.all([...children].map((child) => child.stop()))
      await Promise.all([...own].map((server) => server.close()))
      // One that could not be started has nothing to close.
      await (await redis?.catch(() => undefined))?.close()
      await (await postgres?.catch(() => undefined))?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function startRedis(...options: string[]): Promise<TestRedis> {
  const { error } = spawnSync('redis-server', ['--version'])
  if (error !== undefined) throw new ServerMissing('Redis', 'redis-server', error)
  const support = await import('../test/support/redis.ts')
  return support.startRedis(...options)
}

async function processOfRedis(url: string): Promise<number> {
  const redis = new Redis(url)
  const told = await redis.info('server')
  redis.disconnect()
  return Number(/process_id:(\d+)/.exec(told)?.[1])
}

async function startPostgres(): Promise<TestPostgres> {
  let postgres: TestPostgres
  try {
    const support = await import('../test/support/postgres.ts')
    // Of all folders for temporary files the one that systems keep on a disk, and that the server's own user may enter.
    postgres = await support.startPostgres({ parent: '/var/tmp', isDurable: true })
  } catch (error) {
    throw new ServerMissing('PostgreSQL', 'postgresql', error)
  }
  await assertDurable(await postgres.createDatabase())
  return postgres
}
