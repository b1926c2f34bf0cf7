import { Kysely, PostgresDialect, sql } from 'kysely'
import { DatabaseError } from 'pg'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import { connectTimeoutMs, groupKeys, splitTable, statementTimeoutMs, type SqlDialect } from './dialect.ts'
import { protocolsOf } from './protocols.ts'
import { refusal, type RefusalKind } from './sql-refusal.ts'

/** By SQLSTATE, or by its class, which is its first two characters. */
const kinds: Readonly<Record<string, RefusalKind>> = {
  '08': 'away',
  '22': 'value',
  '23': 'value',
  // Credentials have expired, or the database does not exist yet: an operator fixes that.
  '28': 'away',
  '3D': 'away',
  '40': 'busy',
  '53': 'away',
  '55': 'busy',
  '57': 'away',
  '58': 'away',
  XX: 'away',
  // Not the primary server.
  '25006': 'away',
}

const words: Readonly<Record<string, string>> = {
  '42P01': 'the table does not exist',
  '42703': 'a column does not exist',
  '42501': 'the user may not write to the table',
  '42P10': 'the table has no unique key on its key columns',
}

/** PostgreSQL. */
export const postgres: SqlDialect = {
  name: 'PostgreSQL',
  protocols: protocolsOf.postgres,
  packages: [],
  async connect(url) {
    const { pool, close } = openPostgresPool({
      connectionString: url,
      max: 1,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
    })
    // An idle connection broke: the next statement makes another.
    pool.on('error', () => {})
    const db = new Kysely<Record<string, Record<string, unknown>>>({ dialect: new PostgresDialect({ pool }) })
    return { db, end: close, cut: () => void close() }
  },
  write(db, { table, row, key, newerBy }) {
    const insert = db.insertInto(table).values(row)
    if (newerBy === undefined) return insert.onConflict((conflict) => conflict.columns([...key]).doNothing()).compile()
    const others = Object.keys(row).filter((column) => !key.includes(column))
    const set = Object.fromEntries(others.map((column) => [column, sql`${sql.id('excluded', column)}`]))
    const isNewer = sql<boolean>`${sql.id('excluded', newerBy)} > coalesce(${sql.id(splitTable(table).name, newerBy)}, 0)`
    return insert
      .onConflict((conflict) =>
        conflict
          .columns([...key])
          .doUpdateSet(set)
          .where(isNewer),
      )
      .compile()
  },
  async inspect(db, table) {
    const { schema, name } = splitTable(table)
    const id = sql`to_regclass(case when ${schema}::text is null then '' else quote_ident(${schema}::text) || '.' end || quote_ident(${name}::text))`
    const columns = await sql<{
      name: string
    }>`select attname as name from pg_attribute where attrelid = ${id} and attnum > 0 and not attisdropped`.execute(db)
    const keys = await sql<{ name: string; column: string }>`select i.indexrelid::text as name, a.attname as column
      from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
      where i.indrelid = ${id} and i.indisunique and i.indpred is null and i.indexprs is null`.execute(db)
    const rights = await sql<{ insert: boolean | null; update: boolean | null }>`select
      has_any_column_privilege(${id}, 'insert') and has_any_column_privilege(${id}, 'select') as insert,
      has_any_column_privilege(${id}, 'update') as update`.execute(db)
    return {
      columns: columns.rows.map((row) => row.name),
      uniqueKeys: groupKeys(keys.rows),
      mayInsert: rights.rows[0]?.insert ?? false,
      mayUpdate: rights.rows[0]?.update ?? false,
    }
  },
  refusalOf(error) {
    if (!(error instanceof DatabaseError) || error.code === undefined) return undefined
    const { code } = error
    return refusal(kinds[code] ?? kinds[code.slice(0, 2)] ?? 'table', code, words[code])
  },
  moment: (iso) => iso,
  quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  now: 'current_timestamp',
  types: {
    key: 'text',
    text: 'text',
    whole: 'bigint',
    number: 'numeric',
    boolean: 'boolean',
    moment: 'timestamptz',
    json: 'jsonb',
  },
}
