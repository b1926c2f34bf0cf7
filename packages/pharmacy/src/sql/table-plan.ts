import { z } from 'zod'
import { isDay } from '@pawl/base/days'
import { PharmacySettingsInvalid } from '../pharmacy-settings-invalid.ts'
import { defaultTable, type PharmacySettings } from '../settings.ts'
import { TransferNotice } from '../transfer-notice.ts'
import type { ColumnType, SqlDialect } from '@pawl/connector/sql/dialect'
import type { SqlRow } from '@pawl/connector/sql/sql-table'

/** The table that notices are written to, and its columns. */
export interface TablePlan {
  table: string
  /** By column, a dotted path of the notice; an empty path is the whole notice. */
  columns: Readonly<Record<string, string>>
  /** The columns of the unique key. */
  key: readonly string[]
  /** The column whose greater number overwrites an existing row; without one, that row stays. */
  newerBy?: string | undefined
}

const outboxColumns = {
  transfer: 'data.prior_authorization_id',
  sequence: 'sequence',
  state: 'data.status',
  notice: '',
}

/** Column types by dotted path in a notice. */
export const noticePaths: ReadonlyMap<string, ColumnType> = new Map([['', 'json'], ...pathsOf(TransferNotice, '')])

/** The plan that the settings describe. Throws `PharmacySettingsInvalid`. */
export function readTablePlan(settings: PharmacySettings): TablePlan {
  const { PHARMACY_TABLE: table = defaultTable, PHARMACY_TABLE_MODE: mode = 'outbox' } = settings
  const { PHARMACY_COLUMNS: columns } = settings
  if (mode === 'outbox') {
    if (columns !== undefined)
      throw new PharmacySettingsInvalid([
        'PHARMACY_COLUMNS: is for PHARMACY_TABLE_MODE=upsert; an outbox has its own columns',
      ])
    return { table, columns: outboxColumns, key: ['transfer', 'sequence'] }
  }
  const columnOf = (path: string) => Object.entries(columns ?? {}).find(([, each]) => each === path)?.[0]
  const [key, newerBy] = [columnOf('data.prior_authorization_id'), columnOf('sequence')]
  const faults = Object.entries(columns ?? {})
    .filter(([, path]) => path === '' || !noticePaths.has(path))
    .map(
      ([column, path]) => `PHARMACY_COLUMNS: ${column} takes ${path}, which is no field of a notice (docs/pharmacy.md)`,
    )
  if (key === undefined)
    faults.push('PHARMACY_COLUMNS: no column takes data.prior_authorization_id, the key of the rows')
  if (newerBy === undefined)
    faults.push('PHARMACY_COLUMNS: no column takes sequence, which keeps an older state from overwriting a newer one')
  if (columns === undefined || key === undefined || newerBy === undefined || faults.length > 0)
    throw new PharmacySettingsInvalid(faults)
  return { table, columns, key: [key], newerBy }
}

export function toRow({ columns }: TablePlan, notice: TransferNotice, dialect: SqlDialect): SqlRow {
  return Object.fromEntries(
    Object.entries(columns).map(([column, path]) => [column, toValue(path, notice, dialect)] as const),
  )
}

function toValue(path: string, notice: TransferNotice, dialect: SqlDialect): string | number | boolean | null {
  const value = valueAt(path, notice)
  if (typeof value === 'string') return noticePaths.get(path) === 'moment' ? toMoment(value, dialect) : storable(value)
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? storable(each) : each))
}

/** PostgreSQL's text cannot hold this character. */
const storable = (text: string) => text.replaceAll('\0', '\ufffd')

/** Formats a date-time for the database; other text stays unchanged. */
function toMoment(text: string, dialect: SqlDialect): string {
  const at = Date.parse(text)
  const isMoment = !Number.isNaN(at) && isDay(text.slice(0, 'yyyy-mm-dd'.length))
  return isMoment ? dialect.moment(new Date(at).toISOString()) : storable(text)
}

function valueAt(path: string, notice: TransferNotice): unknown {
  let value: unknown = notice
  for (const name of path.split('.').filter(Boolean)) {
    if (typeof value !== 'object' || value === null) return null
    value = Reflect.get(value, name)
  }
  return value ?? null
}

function pathsOf(schema: z.ZodObject, prefix: string): [string, ColumnType][] {
  return Object.entries(schema.shape).flatMap(([name, each]): [string, ColumnType][] => {
    const path = `${prefix}${name}`
    if (each instanceof z.ZodObject) return [[path, 'json'], ...pathsOf(each, `${path}.`)]
    return [[path, typeOf(path, each)]]
  })
}

function typeOf(path: string, schema: unknown): ColumnType {
  if (path === 'data.prior_authorization_id') return 'key'
  if (path === 'sequence') return 'whole'
  if (path === 'timestamp' || path === 'data.prescription.prescription_date') return 'moment'
  const inner: unknown = schema instanceof z.ZodNullable ? schema.unwrap() : schema
  if (inner instanceof z.ZodNumber) return 'number'
  if (inner instanceof z.ZodBoolean) return 'boolean'
  return inner instanceof z.ZodArray ? 'json' : 'text'
}
