import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Needing } from './needs.ts'
import type { Stage } from './stage.ts'

/** A receiver to be measured: its script, its settings, and what it needs. */
export interface ReceiverSpec extends Needing {
  key: string
  script: string
  /** Settings for one start; what they name is new. */
  prepare(stage: Stage): Promise<Prepared>
}

export interface Prepared {
  env: Record<string, string>
  /** Processes of the servers that it has for itself, whose CPU is counted as its own. */
  servers: readonly number[]
  /** Removes what it left behind. */
  dispose(): Promise<void>
}

/** Where a pawl keeps what. Default: the ledger on SQLite, the queue in-process; with the ledger on PostgreSQL, by notifications of that. */
export interface Places {
  ledger?: 'postgres'
  queue?: 'redis'
}

/** What a power cut may take: with `everysec` the last second of Redis; as most people run it, what came since the last snapshot. */
const redisOptions = {
  everysec: ['--appendonly', 'yes', '--appendfsync', 'everysec'],
  usual: ['--save', '3600 1 300 100 60 10000'],
}

/** pawl with a new ledger and these settings. */
export function pawl(
  key: string,
  name: string,
  env: Record<string, string> = {},
  { ledger, queue }: Places = {},
): ReceiverSpec {
  return {
    key,
    name,
    script: 'pawl',
    needs: [ledger, queue].filter((need) => need !== undefined),
    async prepare(stage) {
      const at = ledger === 'postgres' ? await ownPostgres(stage) : await newLedgerFile(stage)
      if (queue === undefined) return { ...at, env: { DATABASE_URL: at.url, ...env } }
      return withRedis(stage, 'everysec', at, { DATABASE_URL: at.url, ...env })
    },
  }
}

/** A receiver written by hand with a new SQLite file and a Redis: with `FULL` as durable as pawl, or as most people run both. */
export function handWritten(
  key: string,
  name: string,
  synchronous: 'FULL' | 'NORMAL',
  env: Record<string, string> = {},
): ReceiverSpec {
  return {
    key,
    name,
    script: 'hand-written-bullmq',
    needs: ['redis'],
    async prepare(stage) {
      const file = await newFile(stage)
      const settings = { DATABASE_FILE: file.path, SYNCHRONOUS: synchronous, ...env }
      return withRedis(stage, synchronous === 'FULL' ? 'everysec' : 'usual', file, settings)
    },
  }
}

/** The same receiver with its events and its jobs in a new database on PostgreSQL; `MERGE_MS`: a job waits so long, and stands for all events of its PA meanwhile. */
export function handWrittenOnPostgres(
  key: string,
  name: string,
  queue: 'pg-boss' | 'graphile-worker',
  env: Record<string, string> = {},
): ReceiverSpec {
  return {
    key,
    name,
    script: `hand-written-${queue}`,
    needs: ['postgres'],
    async prepare(stage) {
      const { url, servers, dispose } = await ownPostgres(stage)
      return { env: { DATABASE_URL: url, ...env }, servers, dispose }
    },
  }
}

/** Node-RED with a folder of its own; when it answers a delivery is up to its flow. */
export function nodeRed(key: string, name: string, answers: 'first' | 'last'): ReceiverSpec {
  return {
    key,
    name,
    script: 'node-red',
    async prepare(stage) {
      const { path, ...own } = await newFile(stage)
      return { ...own, env: { NODE_RED: nodeRedFolder, USER_DIR: dirname(path), ANSWERS: answers } }
    },
  }
}

/** It has a lock file of its own. */
const nodeRedFolder = fileURLToPath(new URL('node-red', import.meta.url))

/** A receiver that stores nothing. */
export function bare(key: string, name: string): ReceiverSpec {
  const prepared = { env: {}, servers: [], dispose: async () => {} }
  return { key, name, script: key, prepare: () => Promise.resolve(prepared) }
}

/** What a contender has for itself. */
type Own = Omit<Prepared, 'env'>

async function withRedis(
  stage: Stage,
  durability: keyof typeof redisOptions,
  { servers, dispose }: Own,
  env: Record<string, string>,
): Promise<Prepared> {
  const { url, pid, close } = await stage.ownRedis(redisOptions[durability])
  return {
    env: { ...env, QUEUE_URL: url },
    servers: [...servers, pid],
    async dispose() {
      await close()
      await dispose()
    },
  }
}

async function ownPostgres(stage: Stage): Promise<Own & { url: string }> {
  const { url, pid, close } = await stage.ownPostgres()
  return { url, servers: [pid], dispose: close }
}

/** A file that is not there yet. */
async function newFile(stage: Stage): Promise<Own & { path: string }> {
  const path = await stage.newFile()
  return { path, servers: [], dispose: () => rm(dirname(path), { recursive: true }) }
}

async function newLedgerFile(stage: Stage): Promise<Own & { url: string }> {
  const { path, ...own } = await newFile(stage)
  return { url: `file:${path}`, ...own }
}
