import { type Clock, systemClock } from '@pawl/base/clock'
import type { RunContext } from '@pawl/connector/system'
import type { SqlDialect } from '@pawl/connector/sql/dialect'
import { createSqlTable } from '@pawl/connector/sql/sql-table'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { TransferNotice } from '../transfer-notice.ts'
import { createTransferPharmacy, type TransferPharmacy } from '../transfer-pharmacy.ts'
import { type TablePlan, toRow } from './table-plan.ts'

export interface SqlPharmacyOptions {
  dialect: SqlDialect
  /** The address of the database, with user and password. */
  url: string
  plan: TablePlan
  /** Time limit of one notice, in milliseconds. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/**
 * A pharmacy that reads its own SQL table. Each notice is one statement, written whole or not at all. A repeated notice leaves its row alone;
 * one with a lower sequence than the row changes nothing. Throws `PharmacyWriteFailed`, which quotes neither data nor address.
 */
export function createSqlPharmacy(options: SqlPharmacyOptions): TransferPharmacy {
  const { dialect, url, plan, timeoutMs, clock = systemClock } = options
  const table = createSqlTable({ dialect, url, shape: { ...plan, columns: Object.keys(plan.columns) }, timeoutMs })

  async function write(notice: TransferNotice, run: RunContext): Promise<void> {
    const refusal = await table.write(toRow(plan, notice, dialect), run)
    if (refusal !== undefined) throw new PharmacyWriteFailed({ resourceId: run.resourceId, ...refusal })
  }

  return createTransferPharmacy(
    { send: write, check: (signal) => table.check(signal), close: () => table.close() },
    { clock },
  )
}
