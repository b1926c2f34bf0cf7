import { type SqlDialect, splitTable } from '@pawl/connector/sql/dialect'
import { noticePaths, type TablePlan } from './table-plan.ts'

/** The CREATE TABLE statement of a plan: the whole outbox, or the columns that an upsert writes. */
export function tableDefinition({ table, columns, key, newerBy }: TablePlan, dialect: SqlDialect): string {
  const { quote, types } = dialect
  const { schema, name } = splitTable(table)
  const full = schema === null ? quote(name) : `${quote(schema)}.${quote(name)}`
  const lines = Object.entries(columns).map(([column, path]) => {
    const isNeeded = key.includes(column) || column === newerBy || path === ''
    return `${quote(column)} ${types[noticePaths.get(path) ?? 'text']}${isNeeded ? ' not null' : ''}`
  })
  // Lets a consumer read the outbox in order.
  if (newerBy === undefined) lines.push(`${quote('written_at')} ${types.moment} not null default ${dialect.now}`)
  lines.push(`primary key (${key.map(quote).join(', ')})`)
  return `create table ${full} (\n${lines.map((line) => `  ${line}`).join(',\n')}\n);`
}
