import { type Clock, systemClock } from '../../../clock.ts'
import { PawlError } from '../../../errors.ts'
import { failureCodeOf } from '../../../fetch.ts'
import type { RunContext, System } from '../../../systems/system.ts'
import { PharmacyWriteFailed } from '../pharmacy-write-failed.ts'
import type { Pharmacy } from '../pharmacy.ts'
import { rehearseTransfer, tellTransfer } from '../tell-transfer.ts'
import type { TransferNotice } from '../transfer-notice.ts'
import { type Connections, createConnections } from './connections.ts'
import { type SqlDialect, statementTimeoutMs } from './dialect.ts'
import type { Refusal } from './refusal.ts'
import { faultsOf, type TablePlan, toTableWrite } from './table-plan.ts'

export interface SqlPharmacyOptions {
  dialect: SqlDialect
  /** The address of the database, with user and password. */
  url: string
  plan: TablePlan
  /** Milliseconds that one notice may take. Default 15,000. */
  timeoutMs?: number
  clock?: Clock
}

/** The table is not as the settings say. */
class TableUnfit extends Error {}

/**
 * A pharmacy whose own table is written to, a statement for each notice, so that nothing is ever written by halves. A notice that is told again finds its
 * row and leaves it; one with a lower sequence than the row changes nothing. Throws `PharmacyWriteFailed`, which quotes neither data nor address.
 */
export function createSqlPharmacy(options: SqlPharmacyOptions): System<Pharmacy> {
  const { dialect, url, plan, timeoutMs = statementTimeoutMs, clock = systemClock } = options
  const connections = createConnections(() => dialect.connect(url))
  let isTableFit = false

  async function write(notice: TransferNotice, run: RunContext): Promise<void> {
    run.assertMayAct()
    const timeout = AbortSignal.timeout(Math.max(1, Math.min(timeoutMs, Math.floor(run.remainingMs()))))
    try {
      await connections.lend(AbortSignal.any([timeout, run.signal]), async ({ db }) => {
        // A table without the unique key would take a row for each retry, so it is looked at before the first.
        if (!isTableFit) await assertTableFit(db)
        run.assertMayAct()
        await db.executeQuery(dialect.write(db, toTableWrite(plan, notice, dialect)))
      })
    } catch (error) {
      if (error instanceof PawlError) throw error
      const givenUp = { reason: 'the run was given up', retry: 'backoff', isOutage: false, mayBeOutage: false } as const
      const refusal = run.signal.aborted ? givenUp : judge(error, dialect, timeout.aborted)
      throw new PharmacyWriteFailed({ resourceId: run.resourceId, ...refusal })
    }
  }

  async function assertTableFit(db: Parameters<SqlDialect['inspect']>[0]): Promise<void> {
    const faults = faultsOf(plan, await dialect.inspect(db, plan.table))
    if (faults.length > 0) throw new TableUnfit(faults.join(' '))
    isTableFit = true
  }

  return {
    open: (run) => ({
      putPrescriptionTransfer: (priorAuthorization) =>
        tellTransfer(priorAuthorization, run, clock, (notice) => write(notice, run)),
    }),
    rehearse: (run) => rehearseTransfer(run, clock),
    check: (signal) => check(connections, options, signal),
    close: () => connections.close(),
  }
}

async function check(connections: Connections, { dialect, plan }: SqlPharmacyOptions, signal: AbortSignal) {
  try {
    const facts = await connections.lend(signal, ({ db }) => dialect.inspect(db, plan.table))
    const faults = faultsOf(plan, facts)
    if (faults.length > 0) return { ok: false, findings: faults }
    return { ok: true, findings: [`${dialect.name} answers, and ${plan.table} can be written to.`] }
  } catch (error) {
    return { ok: false, findings: [`${dialect.name}: ${judge(error, dialect, signal.aborted).reason}.`] }
  }
}

/** The verdict on what a database or the way to it threw. */
function judge(error: unknown, dialect: SqlDialect, isTooLate: boolean): Refusal {
  const away = { retry: 'backoff', isOutage: true, mayBeOutage: false } as const
  if (isTooLate) return { ...away, reason: 'no answer in time' }
  if (error instanceof TableUnfit)
    return { reason: error.message.replace(/\.$/, ''), retry: 'never', isOutage: false, mayBeOutage: true }
  const code = failureCodeOf(error)
  return (
    dialect.refusalOf(error) ?? { ...away, reason: code === undefined ? 'no connection' : `no connection (${code})` }
  )
}
