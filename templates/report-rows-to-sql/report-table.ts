import {
  type Clock,
  notConfigured,
  type RunContext,
  sqlTable,
  type System,
  systemClock,
  WriteFailed,
} from '#pawl/connector'
import { z } from 'zod'
import type { ReportRow } from './report-row.ts'

export const reportSettings = {
  REPORT_URL: z
    .url({ protocol: /^(postgres|postgresql|mysql|mariadb)$/ })
    .optional()
    .describe('the database of the reports'),
  REPORT_TABLE: z.string().default('pawl_report').describe('the table of the reports'),
}

export interface ReportSettings {
  REPORT_URL?: string | undefined
  REPORT_TABLE: string
}

/** The port that handlers use as `reports`. */
export interface Reports {
  /** Updates the row; `toldAt` is when pawl learned of this state. Throws `WriteFailed`. */
  putRow(row: ReportRow, toldAt: Date): Promise<void>
}

const columns = [
  'id',
  'version',
  'kind',
  'status',
  'has_ended',
  'result',
  'detail_code',
  'is_appeal',
  'previous_id',
  'transfer_status',
  'transfer_error_code',
  'drugs',
  'drugs_covered',
  'drugs_requiring_pa',
  'first_told_at',
  'status_told_at',
  'ended_at',
]

/** The table REPORT_TABLE at REPORT_URL, with a row for each PA and BV; without a URL, rows park. */
export function reportTable(settings: ReportSettings, clock: Clock = systemClock): System<Reports> {
  const { REPORT_URL: url, REPORT_TABLE: table } = settings
  if (url === undefined) return notConfigured('REPORT_URL')
  const rows = sqlTable({ url, table, columns, key: ['id'], newerBy: 'version' })

  /** When this role first had this value; remembered before the write, so that a retry writes the same. */
  async function since({ memory }: RunContext, role: string, value: string, toldAt: Date): Promise<Date> {
    const known = await memory.read(role)
    if (known?.id === value && known.version !== undefined) return new Date(known.version)
    await memory.write(role, { id: value, version: toldAt.toISOString() })
    return toldAt
  }

  async function putRow(row: ReportRow, toldAt: Date, run: RunContext): Promise<void> {
    const first_told_at = await since(run, 'first-told', row.id, toldAt)
    const status_told_at = await since(run, 'status', row.status, toldAt)
    const times = { first_told_at, status_told_at, ended_at: row.has_ended ? status_told_at : null }
    const digest = run.digest(JSON.stringify([row, times]))
    const known = await run.memory.read('row')
    if (known?.digest === digest) return
    // Greater than any earlier version, even if the clock went back or the ledger was lost.
    const version = Math.max(clock.now(), Number(known?.version ?? 0) + 1)
    // Until the answer arrives, the table may hold this state or the previous one.
    await run.memory.write('row', { id: row.id, version: String(version) })
    const failure = await rows.write({ ...row, ...times, version }, run)
    if (failure !== undefined)
      throw new WriteFailed({ system: 'report database', what: 'row', resourceId: run.resourceId, failure })
    await run.memory.write('row', { id: row.id, version: String(version), digest })
    run.wrote({ type: 'Row', id: row.id, version: String(version) })
  }

  return {
    open: (run) => ({ putRow: (row, toldAt) => putRow(row, toldAt, run) }),
    check: (signal) => rows.check(signal),
    close: () => rows.close(),
  }
}
