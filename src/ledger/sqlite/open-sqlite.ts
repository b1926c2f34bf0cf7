import Database from 'better-sqlite3'
import { type Driver, Kysely, sql, SqliteAdapter, SqliteDialect } from 'kysely'
import type { Clock } from '../../clock.ts'
import { LedgerFileUnusable, prepareLedgerFile } from './file.ts'
import { createFindKnown } from '../known-events.ts'
import { migrate } from '../migrations.ts'
import { SqliteDriver } from './driver.ts'
import { enterPresence } from './presence.ts'
import { isFaultOfCode, type Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Tells the migrator that SQLite can change its schema inside a transaction: without one, two processes that start together both migrate. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class FileDialect extends SqliteDialect {
  readonly #driver: SqliteDriver

  constructor(driver: SqliteDriver) {
    super({ database: () => Promise.reject(new Error('the driver opens the database')) })
    this.#driver = driver
  }

  override createDriver(): Driver {
    return this.#driver
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

/** Opens, or creates, a ledger file whose commits survive a power cut (WAL, synchronous=FULL), with the newest schema. `forCopy` leaves the file to whoever opens it, who may change its mode. Throws `LedgerFileUnusable`. */
export async function openSqlite(path: string, clock: Clock, { forCopy = false } = {}): Promise<Storage> {
  prepareLedgerFile(path)
  const driver = new SqliteDriver(path)
  const db = new Kysely<Tables>({ dialect: new FileDialect(driver) })
  try {
    await migrate(db, { id: sql`integer primary key autoincrement`, bytes: sql`blob`, integer: sql`integer` })
  } catch (error) {
    await db.destroy()
    if (isNoDatabase(error))
      throw new LedgerFileUnusable(
        'its file is no SQLite database: choose another path, or move that file away',
        false,
        {
          cause: error,
        },
      )
    throw error
  }
  const name = forCopy ? '' : await settleAt(path, driver, db)
  return {
    db,
    // All processes of one file are on one machine.
    now: () => Promise.resolve(clock.now()),
    elapsed: clock.elapsed?.bind(clock),
    // Every transaction takes the whole file's write lock when it begins.
    lock: () => Promise.resolve(),
    lockAudit: () => Promise.resolve(),
    findKnown: createFindKnown(),
    async reclaim() {
      if ((await countFree(db)) <= pagesAtOnce) return true
      await sql`pragma incremental_vacuum(${sql.raw(String(pagesAtOnce))})`.execute(db)
      const isReclaimed = (await countFree(db)) <= pagesAtOnce
      // The file itself shrinks as the log is written back to it.
      if (isReclaimed) await sql`pragma wal_checkpoint(passive)`.execute(db)
      return isReclaimed
    },
    async wipe() {
      await sql`pragma incremental_vacuum`.execute(db)
      // What was there before is still in the log, until it is written back and cut off.
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db)
      return rows[0]?.busy === 0
    },
    isPassing: () => false,
    isRefused: (error) => isFaultOfCode(error) || (error instanceof Database.SqliteError && refused.test(error.code)),
    assertDurable: () => driver.assertFiles(),
    processName: name === '' ? '' : ownerPrefix(name),
  }
}

/** A value that SQLite cannot take. */
const refused = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/

/** Pages of 4 KB: few enough that nobody waits for it, and as many as may stay free. */
const pagesAtOnce = 1_000

async function countFree(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db)
  return rows[0]?.freelist_count ?? 0
}

const ownerPrefix = (processName: string) => `${processName}:`

/** Sees that the files stay where they are, and tells other processes of this one; resolves with its name. */
async function settleAt(path: string, driver: SqliteDriver, db: Kysely<Tables>): Promise<string> {
  driver.guardFiles()
  const presence = enterPresence(path)
  driver.onDestroy(() => presence.leave())
  await freeClaims(db, presence.takeDead())
  return presence.name
}

/** Ends the leases of processes that are gone, and only those: the claims still count as lost. */
async function freeClaims(db: Kysely<Tables>, processNames: readonly string[]): Promise<void> {
  for (const name of processNames) {
    await db
      .updateTable('resources')
      .set({ claim_until: 0 })
      // What is claimed is due, which has an index.
      .where('due_at', 'is not', null)
      .where('claim_owner', 'like', `${ownerPrefix(name)}%`)
      .execute()
  }
}

/** What SQLite said is the cause of what the migration says. */
function isNoDatabase(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_NOTADB'
}
