import type { CompiledQuery, Kysely } from 'kysely'
import type { OptionalPackage } from '../../base/optional-packages.ts'
import type { Refusal } from './refusal.ts'

/** Tables whose names and columns only the settings know. */
export type AnyTables = Record<string, Record<string, unknown>>

/** One connection to a database, made when it is first needed. */
export interface Connection {
  db: Kysely<AnyTables>
  /** Takes leave of the database. */
  end(): Promise<void>
  /** Cuts it without waiting for what is on its way. */
  cut(): void
}

/** A row to be written: never twice under one key. */
export interface TableWrite {
  table: string
  row: Readonly<Record<string, string | number | boolean | null>>
  key: readonly string[]
  /** The column whose greater number wins over the row that is there; without one, that row stays. */
  newerBy?: string | undefined
}

/** What a database says of a table, as far as its user may see it. */
export interface TableFacts {
  columns: readonly string[]
  /** The columns of each unique key. */
  uniqueKeys: readonly (readonly string[])[]
  /** It may also read: what is there must not be written again. */
  mayInsert: boolean
  mayUpdate: boolean
}

/** What a column holds; JSON is for lists and groups of fields. */
export type ColumnType = 'key' | 'text' | 'whole' | 'number' | 'boolean' | 'moment' | 'json'

/** One kind of database. */
export interface SqlDialect {
  /** Its name, for people. */
  name: string
  /** The schemes of its addresses. */
  protocols: readonly string[]
  /** What has to be installed for it. */
  packages: readonly OptionalPackage[]
  connect(url: string): Promise<Connection>
  /** One statement, which is committed as a whole or not at all. */
  write(db: Kysely<AnyTables>, write: TableWrite): CompiledQuery
  inspect(db: Kysely<AnyTables>, table: string): Promise<TableFacts>
  /** What the database said in place of doing as asked; undefined where the failure came from elsewhere. */
  refusalOf(error: unknown): Refusal | undefined
  /** An ISO date-time in UTC as its columns for date-times take it. */
  moment(iso: string): string
  quote(identifier: string): string
  /** The time of the database. */
  now: string
  types: Readonly<Record<ColumnType, string>>
}

/** How long the making of a connection may take, in milliseconds. */
export const connectTimeoutMs = 5_000
/** How long a statement may take, in milliseconds; for databases that can end it themselves. */
export const statementTimeoutMs = 15_000

/** Schema, if any, and name of a table. */
export function splitTable(table: string): { schema: string | null; name: string } {
  const [first = '', second] = table.split('.')
  return second === undefined ? { schema: null, name: first } : { schema: first, name: second }
}

/** Gathers what a database says of its unique keys, one row for each column of each. */
export function groupKeys(rows: readonly { name: string; column: string }[]): string[][] {
  const names = new Set(rows.map(({ name }) => name))
  return [...names].map((name) => rows.flatMap((row) => (row.name === name ? [row.column] : [])))
}
