import { randomUUID } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { Sqlite } from '../../base/sqlite.ts'

/** Shows other processes of the same ledger file that this one lives: by a lock that ends with the process, however it ends. */
export interface Presence {
  /** Unique per process. */
  name: string
  /** Names of processes that ended without `leave`, each returned once. */
  takeDead(): string[]
  leave(): void
}

/** Registers presence beside the ledger at this path, by a lock on an empty file. A process id would not do: it can be reused, and repeats in another container. */
export function enterPresence(path: string): Presence {
  const folder = dirname(path)
  const prefix = `${basename(path)}-process-`
  const name = randomUUID()
  const own = join(folder, `${prefix}${name}`)
  const lock = lockFile(own)

  return {
    name,
    takeDead() {
      const others = readdirSync(folder).filter((file) => file.startsWith(prefix) && file !== basename(own))
      return others.flatMap((file) => {
        try {
          lockFile(join(folder, file)).close()
        } catch {
          // Its process lives.
          return []
        }
        rmSync(join(folder, file), { force: true })
        return [file.slice(prefix.length)]
      })
    },
    leave() {
      lock.close()
      rmSync(own, { force: true })
    },
  }
}

/** Throws if another process holds the lock. */
function lockFile(path: string): Database.Database {
  const database = new Sqlite(path, { timeout: 0 })
  try {
    // Nothing is ever written there.
    database.pragma('journal_mode = off')
    database.exec('begin exclusive')
    return database
  } catch (error) {
    database.close()
    throw error
  }
}
