import { existsSync } from 'node:fs'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import { Sqlite } from '@pawl/base/sqlite'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import { createTypes } from './postgres/open-postgres.ts'
import type { Tables } from './tables.ts'

/** A database opened read-only. */
export interface ReadOnly {
  db: Kysely<Tables>
  close(this: void): Promise<void>
}

const timeoutMs = 5_000

/** Opens the database of a ledger or a queue read-only, regardless of its schema, without blocking writers. A file must exist. */
export function openToRead(databaseUrl: string): ReadOnly {
  return databaseUrl.startsWith('file:') ? openFile(databaseUrl.slice('file:'.length)) : openPostgres(databaseUrl)
}

function openFile(path: string): ReadOnly {
  // A read-only connection that had to create SQLite's own files cannot remove them; a writable one can.
  const database = new Sqlite(path, { readonly: existsSync(`${path}-wal`), fileMustExist: true, timeout: timeoutMs })
  database.pragma('query_only = on')
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })
  return {
    db,
    async close() {
      await db.destroy()
      // Kysely destroys nothing if no query ran.
      database.close()
    },
  }
}

function openPostgres(connectionString: string): ReadOnly {
  const settings = {
    connectionString,
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    statement_timeout: timeoutMs,
    query_timeout: 2 * timeoutMs,
    application_name: 'pawl-reader',
    types: createTypes(),
  }
  const { pool, close } = openPostgresPool(settings, { mayBeReadOnly: true })
  // The failing query reports the cause.
  pool.on('error', () => {})
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: () => pool.connect(), end: close } }),
  })
  return {
    db,
    async close() {
      await db.destroy()
      await close()
    },
  }
}
