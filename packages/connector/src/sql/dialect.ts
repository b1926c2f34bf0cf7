import type { CompiledQuery, Kysely } from 'kysely'
import type { OptionalPackage } from '@pawl/base/optional-packages'
import type { Refusal } from './sql-refusal.ts'

/** Tables whose names and columns come from the settings. */
export type AnyTables = Record<string, Record<string, unknown>>

/** One connection to a database, made on first use. */
export interface Connection {
  db: Kysely<AnyTables>
  /** Closes the connection gracefully. */
  end(): Promise<void>
  /** Closes the connection without waiting for pending statements. */
  cut(): void
}

/** A row to write, once per key. */
export interface TableWrite {
  table: string
  row: Readonly<Record<string, string | number | boolean | null>>
  key: readonly string[]
  /** The column whose greater number overwrites an existing row; without one, that row stays. */
  newerBy?: string | undefined
}

/** Columns, keys and rights of a table, as far as the user may see them. */
export interface TableFacts {
  columns: readonly string[]
  /** The columns of each unique key. */
  uniqueKeys: readonly (readonly string[])[]
  /** Includes the right to read: an existing row must not be written again. */
  mayInsert: boolean
  mayUpdate: boolean
}

/** Type of a column; JSON is for lists and groups of fields. */
export type ColumnType = 'key' | 'text' | 'whole' | 'number' | 'boolean' | 'moment' | 'json'

/** One kind of database. */
export interface SqlDialect {
  /** Display name. */
  name: string
  /** URL schemes. */
  protocols: readonly string[]
  /** The packages that it needs. */
  packages: readonly OptionalPackage[]
  connect(url: string): Promise<Connection>
  /** One statement, committed as a whole or not at all. */
  write(db: Kysely<AnyTables>, write: TableWrite): CompiledQuery
  inspect(db: Kysely<AnyTables>, table: string): Promise<TableFacts>
  /** The database's refusal; undefined if the failure came from elsewhere. */
  refusalOf(error: unknown): Refusal | undefined
  /** Formats an ISO date-time in UTC for its date-time columns. */
  moment(iso: string): string
  quote(identifier: string): string
  /** SQL expression of the database's current time. */
  now: string
  types: Readonly<Record<ColumnType, string>>
}

/** Time limit of connecting, in milliseconds. */
export const connectTimeoutMs = 5_000
/** Time limit of a statement, in milliseconds, for databases that can enforce it. */
export const statementTimeoutMs = 15_000

/** Schema, if any, and name of a table. */
export function splitTable(table: string): { schema: string | null; name: string } {
  const [first = '', second] = table.split('.')
  return second === undefined ? { schema: null, name: first } : { schema: first, name: second }
}

/** Groups rows of one key column each into unique keys. */
export function groupKeys(rows: readonly { name: string; column: string }[]): string[][] {
  const names = new Set(rows.map(({ name }) => name))
  return [...names].map((name) => rows.flatMap((row) => (row.name === name ? [row.column] : [])))
}
