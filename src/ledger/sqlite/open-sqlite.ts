import { type Driver, Kysely, sql, SqliteAdapter, SqliteDialect } from 'kysely'
import type { Clock } from '../../clock.ts'
import { LedgerFileUnusable, prepareLedgerFile } from './file.ts'
import { migrate } from '../migrations.ts'
import { SqliteDriver } from './driver.ts'
import type { Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Tells the migrator that SQLite can change its schema inside a transaction: without one, two processes that start together both migrate. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class FileDialect extends SqliteDialect {
  readonly #path: string

  constructor(path: string) {
    super({ database: () => Promise.reject(new Error('the driver opens the database')) })
    this.#path = path
  }

  override createDriver(): Driver {
    return new SqliteDriver(this.#path)
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Opens, or creates, a ledger file whose commits survive a power cut (WAL, synchronous=FULL), with the newest schema. Throws `LedgerFileUnusable`. */
export async function openSqlite(path: string, clock: Clock): Promise<Storage> {
  prepareLedgerFile(path)
  const db = new Kysely<Tables>({ dialect: new FileDialect(path) })
  try {
    await migrate(db, { id: sql`integer primary key autoincrement`, bytes: sql`blob`, integer: sql`integer` })
  } catch (error) {
    await db.destroy()
    if (isNoDatabase(error))
      throw new LedgerFileUnusable('its file is no SQLite database: choose another path, or move that file away', {
        cause: error,
      })
    throw error
  }
  return {
    db,
    // All processes of one file are on one machine.
    now: () => Promise.resolve(clock.now()),
    // Every transaction takes the whole file's write lock when it begins.
    lock: () => Promise.resolve(),
    async reclaim() {
      await sql`pragma incremental_vacuum(4000)`.execute(db)
    },
    isPassing: () => false,
  }
}

/** What SQLite said is the cause of what the migration says. */
function isNoDatabase(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_NOTADB'
}
