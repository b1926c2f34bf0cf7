import type { TableFacts } from './dialect.ts'

/** Name, columns and key of a table. */
export interface TableShape {
  /** The name, optionally with a schema: `schema.table`. */
  table: string
  columns: readonly string[]
  /** The columns of the unique key. */
  key: readonly string[]
  /** The column whose greater number overwrites an existing row; without one, that row stays. */
  newerBy?: string | undefined
}

/** The faults that prevent writing to the table, one sentence each. */
export function faultsOf({ table, columns, key, newerBy }: TableShape, facts: TableFacts): string[] {
  if (facts.columns.length === 0) return [`The table ${table} does not exist, or its user may not see it.`]
  const known = new Set(facts.columns.map(fold))
  const missing = columns.filter((column) => !known.has(fold(column)))
  if (missing.length > 0) return [`The table ${table} lacks the columns ${missing.join(', ')}.`]
  const wanted = key.map(fold).toSorted().join('\n')
  const isUnique = facts.uniqueKeys.some((each) => each.map(fold).toSorted().join('\n') === wanted)
  return [
    ...(isUnique ? [] : [`The table ${table} has no unique key on ${key.join(', ')}.`]),
    ...(facts.mayInsert ? [] : [`The user may not insert into ${table}, or not read it.`]),
    ...(newerBy === undefined || facts.mayUpdate ? [] : [`The user may not update ${table}.`]),
  ]
}

/** MySQL ignores case; if a column differs only in case, PostgreSQL reports that itself. */
const fold = (column: string) => column.toLowerCase()
