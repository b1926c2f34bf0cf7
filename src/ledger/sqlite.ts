import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  sql,
} from 'kysely'
import type { Clock } from '../clock.ts'
import { migrate } from './migrations.ts'
import type { Storage } from './storage.ts'
import type { Tables } from './tables.ts'

/** How long a writer waits for another process's commit, in milliseconds. */
const busyTimeoutMs = 10_000

/** Transactions that read before they write must take the write lock at once: upgrading it later fails when another process wrote in between. */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }
}

/** Tells the migrator that SQLite can change its schema inside a transaction: without one, two processes that start together both migrate. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class ImmediateDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig

  constructor(config: SqliteDialectConfig) {
    super(config)
    this.#config = config
  }

  override createDriver(): SqliteDriver {
    return new ImmediateDriver(this.#config)
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Opens, or creates, a ledger file whose commits survive a power cut (WAL, synchronous=FULL), with the newest schema. */
export async function openSqlite(path: string, clock: Clock): Promise<Storage> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const database = new Database(path)
  database.pragma(`busy_timeout = ${busyTimeoutMs}`)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma('foreign_keys = ON')
  const db = new Kysely<Tables>({ dialect: new ImmediateDialect({ database }) })
  try {
    await migrate(db, { id: sql`integer primary key autoincrement`, bytes: sql`blob`, integer: sql`integer` })
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    db,
    // All processes of one file are on one machine.
    now: () => Promise.resolve(clock.now()),
    // Every transaction takes the whole file's write lock when it begins.
    lock: () => Promise.resolve(),
    isPassing: () => false,
  }
}
