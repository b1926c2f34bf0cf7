import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type Database from 'better-sqlite3'
import { Sqlite } from '@pawl/base/sqlite'

/** Shows other processes of the same ledger file that this one is alive, by a lock that ends with the process, even in a crash. */
export interface Presence {
  /** Unique per process. */
  name: string
  /** Names of processes that ended without `leave`, each returned once. */
  takeDead(): string[]
  leave(): void
}

/** Max tries to lock a new file before another process finds it. */
const maxTries = 20

/** Registers presence beside the ledger at this path, by a lock on an empty file. A process id would not do: it can be reused, and repeats in another container. */
export function enterPresence(path: string): Presence {
  const folder = dirname(path)
  const prefix = `${basename(path)}-process-`
  const { name, own, lock } = lockOwnFile(join(folder, prefix))

  return {
    name,
    takeDead() {
      const others = readdirSync(folder).filter((file) => file.startsWith(prefix) && file !== basename(own))
      return others.flatMap((file) => {
        const other = join(folder, file)
        try {
          remove(other, lockFile(other, { fileMustExist: true }))
        } catch {
          // Its process is alive, or has just left.
          return []
        }
        return [file.slice(prefix.length)]
      })
    },
    leave: () => remove(own, lock),
  }
}

/** Locks a new file. Another process may delete it before it is locked: the next try uses another name. */
function lockOwnFile(start: string): { name: string; own: string; lock: Database.Database } {
  for (let tries = 1; ; tries += 1) {
    const name = randomUUID()
    const own = `${start}${name}`
    try {
      const lock = lockFile(own)
      if (existsSync(own)) return { name, own, lock }
      lock.close()
    } catch (error) {
      rmSync(own, { force: true })
      if (tries === maxTries) throw error
    }
  }
}

/** Removes a file before its lock ends, so that no process finds it unlocked. */
function remove(path: string, lock: Database.Database): void {
  try {
    rmSync(path, { force: true })
    lock.close()
  } catch {
    // Windows removes no open file.
    lock.close()
    rmSync(path, { force: true })
  }
}

/** Throws if another process holds the lock. */
function lockFile(path: string, options: { fileMustExist?: boolean } = {}): Database.Database {
  const database = new Sqlite(path, { timeout: 0, ...options })
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
