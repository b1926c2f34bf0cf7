import { assertInstalled } from '@pawl/base/optional-packages'
import { dialectOf } from './dialects.ts'
import { createSqlTable, type SqlTable } from './sql-table.ts'
import type { TableShape } from './table-shape.ts'

/** Options of `sqlTable`. */
export interface SqlTableAt extends TableShape {
  /** `postgres://`, `mysql://` or `mariadb://`, with user, password and database. */
  url: string
  /** Time limit of one row, in milliseconds. Default 15,000. */
  timeoutMs?: number
}

/** A row by its columns; a Date goes to a date-time column. */
export type SqlRowWithDates = Readonly<Record<string, string | number | boolean | Date | null>>

/** A table of PostgreSQL, MySQL or MariaDB for a connector's rows. Each key is written once, and an older row never overwrites a newer one. Throws TypeError for another address, and `PackageMissing` where its driver is not installed. */
export function sqlTable({ url, timeoutMs, ...shape }: SqlTableAt): Omit<SqlTable, 'write'> & {
  write(row: SqlRowWithDates, run: Parameters<SqlTable['write']>[1]): ReturnType<SqlTable['write']>
} {
  const dialect = dialectOf(url)
  if (dialect === undefined) throw new TypeError('This address is not of a supported database.')
  assertInstalled(`The table ${shape.table}`, dialect.packages)
  const table = createSqlTable({ dialect, url, shape, timeoutMs })
  return {
    ...table,
    write(row, run) {
      const values = Object.entries(row).map(
        ([column, value]) => [column, value instanceof Date ? dialect.moment(value.toISOString()) : value] as const,
      )
      return table.write(Object.fromEntries(values), run)
    },
  }
}
