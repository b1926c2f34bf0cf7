import { Kysely, MssqlDialect, sql } from 'kysely'
import { connectTimeoutMs, groupKeys, splitTable, statementTimeoutMs, type SqlDialect } from './dialect.ts'
import { refusal, type RefusalKind } from './refusal.ts'

/** By the number of the error. */
const kinds: Readonly<Record<number, RefusalKind>> = {
  1105: 'away',
  4060: 'away',
  9002: 'away',
  3906: 'away',
  18456: 'away',
  40197: 'away',
  40501: 'away',
  40613: 'away',
  1205: 'busy',
  1222: 'busy',
  241: 'value',
  245: 'value',
  515: 'value',
  547: 'value',
  2601: 'value',
  2627: 'value',
  2628: 'value',
  8114: 'value',
  8115: 'value',
  8152: 'value',
}

const words: Readonly<Record<number, string>> = {
  207: 'a column does not exist',
  208: 'the table does not exist',
  229: 'the user may not write to the table',
  230: 'the user may not write to a column',
}

/** SQL Server. Its statements are compared with the expected text, and were never run against a server. */
export const sqlServer: SqlDialect = {
  name: 'SQL Server',
  protocols: ['mssql:'],
  async connect(url) {
    const [tedious, tarn] = await Promise.all([import('tedious'), import('tarn')])
    const { hostname, port, username, password, pathname, searchParams } = new URL(url)
    const open = new Set<{ close(): void }>()
    const connectionFactory = () => {
      const connection = new tedious.Connection({
        server: hostname,
        authentication: {
          type: 'default',
          options: { userName: decodeURIComponent(username), password: decodeURIComponent(password) },
        },
        options: {
          port: port === '' ? 1433 : Number(port),
          database: decodeURIComponent(pathname.slice(1)),
          encrypt: searchParams.get('encrypt') !== 'false',
          trustServerCertificate: searchParams.get('trustServerCertificate') === 'true',
          connectTimeout: connectTimeoutMs,
          requestTimeout: statementTimeoutMs,
        },
      })
      open.add(connection)
      connection.once('end', () => open.delete(connection))
      return connection
    }
    const db = new Kysely<Record<string, Record<string, unknown>>>({
      dialect: new MssqlDialect({
        tarn: { ...tarn, options: { min: 0, max: 1, propagateCreateError: true } },
        tedious: { ...tedious, connectionFactory },
      }),
    })
    return {
      db,
      end: () => db.destroy(),
      cut() {
        for (const connection of open) connection.close()
        db.destroy().catch(() => {})
      },
    }
  },
  write(db, { table, row, key, newerBy }) {
    const columns = Object.keys(row)
    const ids = sql.join(columns.map((column) => sql.id(column)))
    const source = (column: string) => sql.id('source', column)
    const target = (column: string) => sql.id('target', column)
    const isSame = sql.join(
      key.map((column) => sql`${target(column)} = ${source(column)}`),
      sql` and `,
    )
    const set = columns
      .filter((column) => !key.includes(column))
      .map((column) => sql`${target(column)} = ${source(column)}`)
    const update =
      newerBy === undefined
        ? sql``
        : sql` when matched and ${source(newerBy)} > coalesce(${target(newerBy)}, 0) then update set ${sql.join(set)}`
    // Without holdlock, two that insert the same key at once would both find none.
    return sql`merge into ${sql.table(table)} with (holdlock) as target using (values (${sql.join(Object.values(row))})) as source (${ids}) on ${isSame}${update} when not matched then insert (${ids}) values (${sql.join(columns.map(source))});`.compile(
      db,
    )
  },
  async inspect(db, table) {
    const { schema, name } = splitTable(table)
    const id = sql`object_id(concat(quotename(coalesce(${schema}, schema_name())), '.', quotename(${name})))`
    const columns = await sql<{ name: string }>`select name from sys.columns where object_id = ${id}`.execute(db)
    const keys = await sql<{
      name: string
      column: string
    }>`select i.name as name, c.name as [column] from sys.indexes i
      join sys.index_columns ic on ic.object_id = i.object_id and ic.index_id = i.index_id and ic.is_included_column = 0
      join sys.columns c on c.object_id = i.object_id and c.column_id = ic.column_id
      where i.object_id = ${id} and i.is_unique = 1 and i.has_filter = 0`.execute(db)
    const full = sql`concat(quotename(coalesce(${schema}, schema_name())), '.', quotename(${name}))`
    const rights = await sql<{ insert: number | null; update: number | null }>`select
      has_perms_by_name(${full}, 'OBJECT', 'INSERT') & has_perms_by_name(${full}, 'OBJECT', 'SELECT') as [insert],
      has_perms_by_name(${full}, 'OBJECT', 'UPDATE') as [update]`.execute(db)
    return {
      columns: columns.rows.map((row) => row.name),
      uniqueKeys: groupKeys(keys.rows),
      mayInsert: rights.rows[0]?.insert === 1,
      mayUpdate: rights.rows[0]?.update === 1,
    }
  },
  refusalOf(error) {
    if (!(error instanceof Error)) return undefined
    if ('code' in error && error.code === 'ELOGIN') return refusal('away', 'ELOGIN')
    if (!('number' in error) || typeof error.number !== 'number') return undefined
    return refusal(kinds[error.number] ?? 'table', error.number, words[error.number])
  },
  moment: (iso) => iso,
  quote: (identifier) => `[${identifier.replaceAll(']', ']]')}]`,
  now: 'sysutcdatetime()',
  types: {
    // Two ids may differ by capitals alone.
    key: 'nvarchar(255) collate Latin1_General_100_BIN2',
    text: 'nvarchar(max)',
    whole: 'bigint',
    number: 'decimal(18, 6)',
    boolean: 'bit',
    moment: 'datetime2(3)',
    json: 'nvarchar(max)',
  },
}
