import { existsSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Clock } from '@pawl/base/clock'
import { PawlError } from '@pawl/base/errors'
import { openPostgres } from '../../postgres/open-postgres.ts'
import { openSqlite } from '../../sqlite/open-sqlite.ts'
import type { Storage } from '../../storage.ts'
import type { Tables } from '../../tables.ts'

/** The copy was not started, and nothing was changed. */
export class CopyRefused extends PawlError {
  readonly code = 'copy_refused'
}

type Db = Kysely<Tables>

/** Tables whose rows are numbered by the database. */
export type Numbered = 'events' | 'journal' | 'rejections' | 'alerts'

/** One end of a copy: an open database, with the differences between databases that matter to a copy. */
export interface CopySide {
  db: Db
  kind: 'sqlite' | 'postgres'
  lockAudit: Storage['lockAudit']
  /** The address without its password. */
  name: string
  /** SQL clause of an insert that brings its own numbers. */
  withOwnNumbers: string
  /** Throws `CopyRefused` while a pawl has it open. */
  assertFree(): Promise<void>
  /** The last number assigned, including those of deleted rows. */
  readLastNumber(db: Db, table: Numbered): Promise<number>
  setLastNumber(db: Db, table: Numbered, last: number): Promise<void>
  /** Within a transaction: false if another copy holds this database. */
  lock(trx: Db): Promise<boolean>
}

/** Opens one end of a copy, with the newest schema. Throws `CopyRefused`. */
export async function openCopySide(databaseUrl: string, clock: Clock): Promise<CopySide> {
  const name = withoutPassword(databaseUrl)
  try {
    return databaseUrl.startsWith('file:')
      ? fileSide(name, await openSqlite(databaseUrl.slice('file:'.length), clock, { forCopy: true }))
      : serverSide(name, await openPostgres(named(databaseUrl), () => {}, { forCopy: true }))
  } catch (error) {
    throw new CopyRefused(`${name} cannot be opened: ${reasonOf(error)}.`, { cause: error })
  }
}

/** Whether the source file exists; true for every server, which is tested by opening it. */
export function isThere(databaseUrl: string): boolean {
  return !databaseUrl.startsWith('file:') || existsSync(databaseUrl.slice('file:'.length))
}

/** Whether both addresses lead to the same file. */
export function isSameFile(one: string, other: string): boolean {
  if (!one.startsWith('file:') || !other.startsWith('file:')) return false
  const [a, b] = [one, other].map((url) => statSync(url.slice('file:'.length), { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino
}

function fileSide(name: string, { db, lockAudit }: Storage): CopySide {
  return {
    db,
    kind: 'sqlite',
    lockAudit,
    name,
    withOwnNumbers: '',
    async assertFree() {
      try {
        // Leaving WAL mode requires that no other process has the file open.
        await sql`pragma journal_mode = delete`.execute(db)
        await sql`pragma journal_mode = wal`.execute(db)
      } catch (error) {
        throw inUse(name, error)
      }
    },
    async readLastNumber(db, table) {
      const { rows } = await sql<{ last: number | null }>`select max(last) as last from (
        select seq as last from sqlite_sequence where name = ${table}
        union all select max(id) from ${sql.table(table)}) as numbers`.execute(db)
      return rows[0]?.last ?? 0
    },
    async setLastNumber(db, table, last) {
      if (table === 'events' || table === 'journal') return
      await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
      await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db)
    },
    // Its transaction locks the whole file anyway.
    lock: () => Promise.resolve(true),
  }
}

function serverSide(name: string, { db, lockAudit }: Storage): CopySide {
  return {
    db,
    kind: 'postgres',
    lockAudit,
    name,
    withOwnNumbers: 'overriding system value',
    async assertFree() {
      // Connections of a pawl that just ended stay visible for a moment.
      for (let triesLeft = 10; ; triesLeft -= 1) {
        const { rows } = await sql`select 1 from pg_stat_activity
          where datname = current_database() and application_name = 'pawl'`.execute(db)
        if (rows.length === 0) return
        if (triesLeft === 0) throw inUse(name)
        await sleep(100)
      }
    },
    async readLastNumber(db, table) {
      const { rows } = await sql<{ last: number | null }>`
        select pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass) as last`.execute(db)
      return rows[0]?.last ?? 0
    },
    async setLastNumber(db, table, last) {
      if (last > 0) await sql`select setval(pg_get_serial_sequence(${table}, 'id'), ${last}::bigint)`.execute(db)
    },
    async lock(trx) {
      const { rows } = await sql<{ held: boolean }>`
        select pg_try_advisory_xact_lock(hashtextextended('pawl ledger copy', 0)) as held`.execute(trx)
      return rows[0]?.held === true
    },
  }
}

function inUse(name: string, cause?: unknown): CopyRefused {
  return new CopyRefused(`${name} is in use: stop every pawl that works on it, then copy.`, { cause })
}

/** Distinguishes this connection from those of a running pawl. */
function named(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('application_name', 'pawl-copy')
  return url.href
}

function withoutPassword(databaseUrl: string): string {
  if (databaseUrl.startsWith('file:')) return databaseUrl
  const url = new URL(databaseUrl)
  url.password = ''
  url.search = ''
  return url.href
}

/** The database's error message, without the values it concerns. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.cause instanceof Error) return reasonOf(error.cause)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  return error.message === '' ? (code ?? 'unknown') : error.message
}
