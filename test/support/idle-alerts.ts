import { type Alerts, type AlertsDeps, startAlerts } from '../../packages/console/src/alerts/alerts.ts'
import { captureLog } from './log-capture.ts'

/** Alerts that look only when the test says so, and have no target. */
export function startIdleAlerts({ ledger, ...deps }: Pick<AlertsDeps, 'ledger'> & Partial<AlertsDeps>): Alerts {
  return startAlerts({
    ledger,
    limits: {
      oldestDueMs: 900_000,
      awayMs: 120_000,
      pausedMs: 14_400_000,
      unacknowledgedMs: 14_400_000,
      refusedPerHour: 10,
      budgetPercent: 5,
      auditHeadMs: 0,
      backup: undefined,
    },
    maxAttempts: 10,
    readAway: () => [],
    readQueueOutage: () => undefined,
    readBudgets: () => [],
    readTurnedAway: () => [],
    verified: [],
    targets: [],
    adminUrl: undefined,
    // Longer than any test.
    intervalMs: 600_000,
    clock: Date,
    random: () => 0,
    log: captureLog().log,
    ...deps,
  })
}
