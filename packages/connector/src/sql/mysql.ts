import { CompiledQuery, Kysely, MysqlDialect, sql } from 'kysely'
import { connectTimeoutMs, groupKeys, splitTable, type SqlDialect } from './dialect.ts'
import { protocolsOf } from './protocols.ts'
import { refusal, type RefusalKind } from './sql-refusal.ts'

/** By number, or by the class of the SQLSTATE, which is its first two characters. */
const kinds: Readonly<Record<string, RefusalKind>> = {
  '08': 'away',
  '22': 'value',
  '23': 'value',
  '28': 'away',
  '40': 'busy',
  '70': 'away',
  // Disk or table full, out of memory, too many connections, shutting down, read-only.
  '1021': 'away',
  '1037': 'away',
  '1040': 'away',
  '1053': 'away',
  '1114': 'away',
  '1203': 'away',
  '1226': 'away',
  '1290': 'away',
  '1792': 'away',
  '1836': 'away',
  // The database is missing, or closed to this user.
  '1044': 'away',
  '1049': 'away',
  // An earlier attempt whose answer was lost arrived meanwhile: the retry finds its row.
  '1062': 'busy',
  '1205': 'busy',
  '1364': 'value',
  '1366': 'value',
  '4025': 'value',
}

const words: Readonly<Record<string, string>> = {
  '1054': 'a column does not exist',
  '1142': 'the user may not write to the table',
  '1143': 'the user may not write to a column',
  '1146': 'the table does not exist',
}

/** MySQL and MariaDB. */
export const mysql: SqlDialect = {
  name: 'MySQL or MariaDB',
  protocols: protocolsOf.mysql,
  packages: ['mysql2'],
  async connect(url) {
    const { createPool } = await import('mysql2')
    const pool = createPool({ uri: url, connectionLimit: 1, connectTimeout: connectTimeoutMs, timezone: 'Z' })
    const open = new Set<{ destroy(): void }>()
    pool.on('connection', (connection) => {
      open.add(connection)
      // An idle connection broke: the next statement makes another.
      connection.on('error', () => {})
      connection.once('end', () => open.delete(connection))
    })
    const db = new Kysely<Record<string, Record<string, unknown>>>({
      dialect: new MysqlDialect({
        pool,
        // The driver escapes with backslashes, which a server mode could turn off. Strict mode makes an oversized value fail instead of being cut.
        onCreateConnection: async (connection) =>
          void (await connection.executeQuery(
            CompiledQuery.raw(
              "set session sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00'",
            ),
          )),
      }),
    })
    return {
      db,
      end: () => new Promise((resolve) => pool.end(() => resolve())),
      cut() {
        for (const connection of open) connection.destroy()
        pool.end(() => {})
      },
    }
  },
  write(db, { table, row, key, newerBy }) {
    if (newerBy === undefined) {
      // `on duplicate key update` would need the right to update.
      const ids = sql.join(Object.keys(row).map((column) => sql.id(column)))
      const isThere = sql.join(
        key.map((column) => sql`${sql.id(column)} = ${row[column]}`),
        sql` and `,
      )
      const select = sql`select ${sql.join(Object.values(row))} from dual`
      return sql`insert into ${sql.table(table)} (${ids}) ${select} where not exists (select 1 from ${sql.table(table)} where ${isThere})`.compile(
        db,
      )
    }
    const columns = Object.keys(row).filter((column) => column !== newerBy && !key.includes(column))
    const newer = sql.id(newerBy)
    const set = [...columns, newerBy].map((column) => {
      const id = sql.id(column)
      return [column, sql`if(values(${newer}) > coalesce(${newer}, 0), values(${id}), ${id})`]
    })
    // MySQL assigns in order, so the column that decides comes last.
    return db.insertInto(table).values(row).onDuplicateKeyUpdate(Object.fromEntries(set)).compile()
  },
  async inspect(db, table) {
    const { schema, name } = splitTable(table)
    const isTable = sql`table_name = ${name} and table_schema = coalesce(${schema}, database())`
    const columns = await sql<{
      name: string
      rights: string
    }>`select column_name as name, privileges as rights from information_schema.columns where ${isTable}`.execute(db)
    const keys = await sql<{
      name: string
      column: string
    }>`select index_name as name, column_name as \`column\` from information_schema.statistics where ${isTable} and non_unique = 0`.execute(
      db,
    )
    const may = (right: string) => columns.rows.some(({ rights }) => rights.split(',').includes(right))
    return {
      columns: columns.rows.map((row) => row.name),
      uniqueKeys: groupKeys(keys.rows),
      mayInsert: may('insert') && may('select'),
      mayUpdate: may('update'),
    }
  },
  refusalOf(error) {
    if (!(error instanceof Error) || !('errno' in error) || !('sqlState' in error)) return undefined
    const { errno, sqlState } = error
    if (typeof errno !== 'number' || typeof sqlState !== 'string') return undefined
    return refusal(kinds[errno] ?? kinds[sqlState.slice(0, 2)] ?? 'table', errno, words[errno])
  },
  moment: (iso) => iso.replace('T', ' ').replace('Z', ''),
  quote: (identifier) => `\`${identifier.replaceAll('`', '``')}\``,
  now: 'current_timestamp(3)',
  types: {
    // Two ids may differ only in case.
    key: 'varchar(255) character set utf8mb4 collate utf8mb4_bin',
    text: 'text',
    whole: 'bigint',
    number: 'decimal(18, 6)',
    boolean: 'boolean',
    moment: 'datetime(3)',
    json: 'json',
  },
}
