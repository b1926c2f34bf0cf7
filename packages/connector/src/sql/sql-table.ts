import { startDeadline } from '@pawl/base/net/deadline'
import { PawlError } from '@pawl/base/errors'
import { failureCodeOf, isUnreached } from '@pawl/base/net/fetch'
import type { CheckReport, RunContext } from '../system.ts'
import { createConnections } from './connections.ts'
import { type SqlDialect, statementTimeoutMs, type TableWrite } from './dialect.ts'
import type { Refusal } from './sql-refusal.ts'
import { faultsOf, type TableShape } from './table-shape.ts'

/** A row by its columns. */
export type SqlRow = TableWrite['row']

export interface SqlTableOptions {
  dialect: SqlDialect
  /** The address of the database, with user and password. */
  url: string
  shape: TableShape
  /** Time limit of one row, in milliseconds. Default 15,000. */
  timeoutMs?: number | undefined
}

/** A table in another system's database. Each row is one statement, written whole or not at all. */
export interface SqlTable {
  /** Writes a row, once per key. Resolves with the refusal, which quotes neither data nor address, or `undefined`. Throws the errors of `assertMayAct` and `beginRequest`. */
  write(
    row: SqlRow,
    run: Pick<RunContext, 'signal' | 'assertMayAct' | 'remainingMs' | 'beginRequest'>,
  ): Promise<Refusal | undefined>
  check(signal: AbortSignal): Promise<CheckReport>
  close(): Promise<void>
}

/** The table lacks a column, key or right. */
class TableUnfit extends Error {}

/** Connects when the first row is written. */
export function createSqlTable({ dialect, url, shape, timeoutMs = statementTimeoutMs }: SqlTableOptions): SqlTable {
  const connections = createConnections(
    () => dialect.connect(url),
    (error) => dialect.refusalOf(error)?.isOutage === true,
  )
  let isFit = false

  async function assertFit(db: Parameters<SqlDialect['inspect']>[0]): Promise<void> {
    const faults = faultsOf(shape, await dialect.inspect(db, shape.table))
    if (faults.length > 0) throw new TableUnfit(faults.join(' '))
    isFit = true
  }

  return {
    async write(row, run) {
      run.assertMayAct()
      const request = `write ${shape.table}`
      const { answered } = run.beginRequest(request)
      const deadline = startDeadline(run.signal, Math.max(1, Math.min(timeoutMs, Math.floor(run.remainingMs()))))
      try {
        await connections.lend(deadline.signal, async ({ db }) => {
          // Without the unique key, each retry would add a row, so the table is inspected before the first.
          if (!isFit) await assertFit(db)
          run.assertMayAct()
          await db.executeQuery(dialect.write(db, { ...shape, row }))
        })
        answered()
        return undefined
      } catch (error) {
        if (error instanceof PawlError) throw error
        if (run.signal.aborted)
          return { reason: 'the run was given up', retry: 'backoff', isOutage: false, mayBeOutage: false }
        return { ...judge(error, dialect, deadline.isOver()), request }
      } finally {
        deadline.end()
      }
    },
    async check(signal) {
      try {
        const facts = await connections.lend(signal, ({ db }) => dialect.inspect(db, shape.table))
        const faults = faultsOf(shape, facts)
        if (faults.length > 0) return { ok: false, findings: faults }
        return { ok: true, findings: [`${dialect.name} answers, and ${shape.table} can be written to.`] }
      } catch (error) {
        return { ok: false, findings: [`${dialect.name}: ${judge(error, dialect, signal.aborted).reason}.`] }
      }
    },
    close: () => connections.close(),
  }
}

/** The verdict on an error of the database or of the network. */
function judge(error: unknown, dialect: SqlDialect, isTooLate: boolean): Refusal {
  const away = { retry: 'backoff', isOutage: true, mayBeOutage: false } as const
  if (isTooLate) return { ...away, reason: 'no answer in time' }
  if (error instanceof TableUnfit)
    return { reason: error.message.replace(/\.$/, ''), retry: 'never', isOutage: false, mayBeOutage: true }
  const code = failureCodeOf(error)
  return (
    dialect.refusalOf(error) ?? {
      ...away,
      reason: code === undefined ? 'no connection' : `no connection (${code})`,
      costsAttempt: !isUnreached(error),
    }
  )
}
