import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import { createStatement } from './statement.ts'

type Row<Table extends keyof Tables> = Selectable<Tables[Table]>

/** Creates a read of the rows with one of these keys, all of their columns unless some are named: one statement for many, none for no key. */
export function createRowsByKey<
  Table extends keyof Tables,
  Key extends keyof Row<Table> & string,
  Column extends keyof Row<Table> & string = keyof Row<Table> & string,
>(
  table: Table,
  key: Key,
  columns?: readonly Column[],
): (db: Kysely<Tables>, keys: readonly Row<Table>[Key][]) => Promise<readonly Pick<Row<Table>, Column>[]> {
  const select = createStatement((db, slots: readonly { value: Row<Table>[Key] }[]) => {
    const named = columns === undefined ? sql.raw('*') : sql.join(columns.map((column) => sql.ref(column)))
    const values = sql.join(slots.map(({ value }) => value))
    const rows = sql<Pick<Row<Table>, Column>>`
      select ${named} from ${sql.table(table)}
      where ${sql.ref(key)} in (${values})`
    return { compile: () => rows.compile(db) }
  })
  return async (db, keys) => {
    if (keys.length === 0) return []
    const values = keys.map((value) => ({ value }))
    return (await select(db, values)).rows
  }
}
