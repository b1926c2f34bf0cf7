import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Stage } from './stage.ts'

/** A receiver to be measured: its script and its settings. */
export interface ReceiverSpec {
  name: string
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

/** pawl with a new SQLite ledger and these settings. */
export function pawl(name: string, env: Record<string, string> = {}, { redis = false } = {}): ReceiverSpec {
  return {
    name,
    script: 'pawl',
    async prepare(stage) {
      const file = await stage.newFile()
      const queue = redis ? { QUEUE_URL: await emptyRedis(stage) } : undefined
      return {
        env: { DATABASE_URL: `file:${file}`, ...queue, ...env },
        dispose: () => rm(dirname(file), { recursive: true }),
      }
    },
  }
}

/** The receiver that most teams write, with a new SQLite file and an empty Redis. */
export function handWritten(name: string, env: Record<string, string> = {}): ReceiverSpec {
  return {
    name,
    script: 'hand-written',
    async prepare(stage) {
      const file = await stage.newFile()
      return {
        env: { DATABASE_FILE: file, QUEUE_URL: await emptyRedis(stage), ...env },
        dispose: () => rm(dirname(file), { recursive: true }),
      }
    },
  }
}

/** A receiver that stores nothing. */
export function bare(name: string, script: string): ReceiverSpec {
  return { name, script, prepare: () => Promise.resolve(nothing) }
}

async function emptyRedis(stage: Stage): Promise<string> {
  const redis = await stage.redis()
  await redis.flushAll()
  return redis.url
}
