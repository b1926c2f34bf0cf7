import type { TableFacts } from './dialect.ts'

/** A table, as far as rows are written to it. */
export interface TableShape {
  /** Its name, with a schema and a point before it or without. */
  table: string
  columns: readonly string[]
  /** The columns that tell one row from another. */
  key: readonly string[]
  /** The column whose greater number wins over the row that is there; without one, that row stays. */
  newerBy?: string | undefined
}

/** What keeps a table from being written to, a sentence each. */
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

/** MySQL does not tell capitals apart; where a column differs by them alone, PostgreSQL says so itself. */
const fold = (column: string) => column.toLowerCase()
