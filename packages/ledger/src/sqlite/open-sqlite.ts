import { setTimeout as sleep } from 'node:timers/promises'
import { type Driver, Kysely, sql, SqliteAdapter, SqliteDialect } from 'kysely'
import { Sqlite } from '@pawl/base/sqlite'
import type { Clock } from '@pawl/base/clock'
import { LedgerFileUnusable, prepareLedgerFile } from './file.ts'
import { readKnown } from '../hot/known-events.ts'
import { createStatement } from '../hot/statement.ts'
import { freeClaimsOf, ownerPrefix } from '../hot/claims-of-process.ts'
import { type ColumnTypes, migrate, migrations } from '../migrations.ts'
import { busyTimeoutMs, SqliteDriver } from './driver.ts'
import { readOtherWriters } from './other-writers.ts'
import { enterPresence } from './presence.ts'
import { isFaultOfCode, type Storage, type ViewStorage } from '../storage.ts'
import type { Tables } from '../tables.ts'

/** Tells the migrator that SQLite supports transactional schema changes: otherwise two processes that start together both migrate. */
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

/** SQLite's names of column types. */
export const columnTypes: ColumnTypes = {
  id: sql`integer primary key autoincrement`,
  // Without a page of SQLite's own for each number.
  keptId: sql`integer primary key`,
  bytes: sql`blob`,
  integer: sql`integer`,
  byKey: sql`without rowid`,
}

const selectLast = createStatement((db, _one: readonly object[]) =>
  db.selectFrom('events').select((eb) => eb.fn.max('id').as('last')),
)

/** Opens, or creates, a ledger file whose commits survive a power cut (WAL, synchronous=FULL), with the newest schema. `forCopy` skips file guard and presence, since a copy may change the journal mode. Throws `LedgerFileUnusable`. */
export async function openSqlite(path: string, clock: Clock, { forCopy = false } = {}): Promise<Storage> {
  prepareLedgerFile(path)
  const driver = new SqliteDriver(path)
  const db = new Kysely<Tables>({ dialect: new FileDialect(driver) })
  try {
    await migrate(db, migrations(columnTypes))
  } catch (error) {
    await db.destroy()
    if (isNoDatabase(error))
      throw new LedgerFileUnusable(
        'its file is not a SQLite database: choose another path, or move that file away',
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
    views: db,
    // All processes of one file run on one machine.
    now: () => Promise.resolve(clock.now()),
    // A transaction that writes has the whole file to itself.
    lock: () => Promise.resolve({ answer: Promise.resolve(clock.now()) }),
    openForMs: 0,
    elapsed: clock.elapsed?.bind(clock),
    keepPauses: () => Promise.resolve(),
    lockAudit: () => Promise.resolve(),
    // No other writer takes them before this transaction ends.
    async askNumbers(trx, resourceIds, count) {
      const known = await readKnown(trx, resourceIds)
      const { rows } = await selectLast(trx, [{}])
      const last = rows[0]?.last ?? 0
      const eventIds = Array.from({ length: count }, (_, index) => last + 1 + index)
      return { answer: Promise.resolve({ known, eventIds }) }
    },
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
      for (let tries = 1; !(await cutLog(db)); tries += 1) {
        if (tries === wipeTries) return 'busy'
        await sleep(wipePauseMs)
      }
      return 'wiped'
    },
    lockHolders: () => readOtherWriters(path),
    isPassing: () => false,
    isRefused: (error) => isFaultOfCode(error) || (error instanceof Sqlite.SqliteError && refused.test(error.code)),
    assertDurable: () => driver.assertFiles(),
    processName: name === '' ? '' : ownerPrefix(name),
  }
}

/** Opens a file already opened by `openSqlite` again, for views only: a reader never blocks a writer, and sees the commits before its start. */
export async function openSqliteViews(path: string, clock: Clock): Promise<ViewStorage> {
  const driver = new SqliteDriver(path, true)
  const views = new Kysely<Tables>({ dialect: new FileDialect(driver) })
  await sql`select 1`.execute(views)
  driver.guardFiles()
  return {
    views,
    now: () => Promise.resolve(clock.now()),
    lockHolders: () => readOtherWriters(path),
    assertDurable: () => driver.assertFiles(),
  }
}

/** A value that SQLite rejects. */
const refused = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE)/

/** Pages of 4 KB: few enough not to delay others, and the number that may stay free. */
const pagesAtOnce = 1_000

/** Retries of truncating a log in use, and the pause between them: most readers are gone by then. */
const wipeTries = 20
const wipePauseMs = 50

/** Checkpoints and truncates the log, which holds old content; false if a reader uses it. Writers do not wait for that reader. */
function cutLog(db: Kysely<Tables>): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    await sql`pragma busy_timeout = 0`.execute(connection)
    try {
      const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(connection)
      return rows[0]?.busy === 0
    } finally {
      await sql.raw(`pragma busy_timeout = ${busyTimeoutMs}`).execute(connection)
    }
  })
}

async function countFree(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ freelist_count: number }>`pragma freelist_count`.execute(db)
  return rows[0]?.freelist_count ?? 0
}

/** Guards the files against removal, and announces this process to others; resolves with its name. */
async function settleAt(path: string, driver: SqliteDriver, db: Kysely<Tables>): Promise<string> {
  driver.guardFiles()
  const presence = enterPresence(path)
  driver.onDestroy(() => presence.leave())
  for (const dead of presence.takeDead()) await freeClaimsOf(db, dead)
  return presence.name
}

/** The migration error carries SQLite's error as its cause. */
function isNoDatabase(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && cause.code === 'SQLITE_NOTADB'
}
