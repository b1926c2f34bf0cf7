import type { Log } from '@pawl/base/log'
import { describeError } from '@pawl/base/errors'
import { type Rounds, startRounds } from '../upkeep/start-rounds.ts'
import type { AuditTrail } from './create-audit-trail.ts'

export interface WatchTrailDeps {
  ledger: Pick<AuditTrail, 'auditState'>
  log: Log
  /** Milliseconds between checks. */
  everyMs?: number
  /** Monotonic time in milliseconds. */
  elapsed?: () => number
}

const hourMs = 3_600_000
/** New rows that log the head before the hour is over. */
const rowsAtOnce = 100

/** Checks the end of the audit trail every minute. Logs an error if it was altered, and logs the head at the start and after each hour or 100 new rows. */
export function startWatchingTrail(deps: WatchTrailDeps): Rounds {
  const { ledger, log, everyMs = 60_000, elapsed = () => performance.now() } = deps
  let told: { id: number; at: number } | undefined
  let complaint = ''

  return startRounds(async () => {
    try {
      const { head, broken, lastBreak } = await ledger.auditState()
      const found = `${broken ?? ''} ${lastBreak?.id ?? ''}`
      if (found !== complaint && (broken ?? lastBreak) !== undefined) {
        const reason = broken ?? 'noted'
        log.error(
          { component: 'audit', reason, count: lastBreak?.id },
          'the audit trail was altered: run pawl audit verify',
        )
      }
      complaint = found
      if (head !== undefined && isNews(head.id)) {
        told = { id: head.id, at: elapsed() }
        log.info({ component: 'audit', audit_head: `${head.id}:${head.hash}` }, 'head of the audit trail')
      }
    } catch (error) {
      log.warn(
        { component: 'audit', error, code: describeError(error).code },
        'the end of the audit trail could not be read',
      )
    }
    return everyMs
  })

  function isNews(id: number): boolean {
    if (told === undefined) return true
    return id >= told.id + rowsAtOnce || (id > told.id && elapsed() - told.at >= hourMs)
  }
}
