import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Needing } from './needs.ts'
import { dropDatabase } from './postgres.ts'
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
  /** Removes what it left behind. */
  dispose(): Promise<void>
}

const nothing: Prepared = { env: {}, dispose: async () => {} }

/** Where a pawl keeps what. Default: the ledger on SQLite, the queue in-process; with the ledger on PostgreSQL, by notifications of that. */
export interface Places {
  ledger?: 'postgres'
  queue?: 'redis'
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
      const { url, dispose } = await (ledger === 'postgres' ? newDatabase(stage) : newLedgerFile(stage))
      const queueUrl = queue && (await emptyRedis(stage))
      return { env: { DATABASE_URL: url, ...(queueUrl !== undefined && { QUEUE_URL: queueUrl }), ...env }, dispose }
    },
  }
}

/** The receiver that most teams write, with a new SQLite file and an empty Redis. */
export function handWritten(key: string, name: string, env: Record<string, string> = {}): ReceiverSpec {
  return {
    key,
    name,
    script: 'hand-written-bullmq',
    needs: ['redis'],
    async prepare(stage) {
      const { path, dispose } = await newFile(stage)
      return { env: { DATABASE_FILE: path, QUEUE_URL: await emptyRedis(stage), ...env }, dispose }
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
      const { url, dispose } = await newDatabase(stage)
      return { env: { DATABASE_URL: url, ...env }, dispose }
    },
  }
}

/** A receiver that stores nothing. */
export function bare(key: string, name: string): ReceiverSpec {
  return { key, name, script: key, prepare: () => Promise.resolve(nothing) }
}

async function emptyRedis(stage: Stage): Promise<string> {
  const redis = await stage.redis()
  await redis.flushAll()
  return redis.url
}

/** A file that is not there yet. */
async function newFile(stage: Stage): Promise<{ path: string; dispose(): Promise<void> }> {
  const path = await stage.newFile()
  return { path, dispose: () => rm(dirname(path), { recursive: true }) }
}

async function newLedgerFile(stage: Stage): Promise<{ url: string; dispose(): Promise<void> }> {
  const { path, dispose } = await newFile(stage)
  return { url: `file:${path}`, dispose }
}

/** A database of PostgreSQL with nothing in it. */
export async function newDatabase(stage: Stage): Promise<{ url: string; dispose(): Promise<void> }> {
  const url = await (await stage.postgres()).createDatabase()
  return { url, dispose: () => dropDatabase(url) }
}
