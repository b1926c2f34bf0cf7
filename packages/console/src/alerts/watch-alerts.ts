import type { AlertRecord, FoundAlert } from '@pawl/ledger/alerts/alert-records'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'
import type { AlertViews } from '@pawl/ledger/alerts/alert-targets'

export interface WatchAlertsDeps {
  ledger: Pick<AlertViews, 'openAlerts'> & Pick<AlertBook, 'noteAlerts'>
  /** Milliseconds without a finding by any process after which an alert is over. */
  quietMs: number
  elapsed: () => number
}

/** Makes a function that syncs the ledger's alerts with the findings and resolves with the open ones. An alert that only another process sees ends when that process stops reporting it. Times are monotonic, so a clock change ends no alert. */
export function createWatchAlerts({ ledger, quietMs, elapsed }: WatchAlertsDeps) {
  let last = new Map<number, { seen: number; since: number }>()

  return async (found: readonly FoundAlert[]): Promise<AlertRecord[]> => {
    const open = await ledger.openAlerts()
    const isFound = (alert: AlertRecord) => found.some((f) => f.kind === alert.kind && f.subject === alert.subject)
    last = new Map(
      open.map((alert) => {
        const before = last.get(alert.id)
        const isNew = before === undefined || before.seen !== alert.seen || isFound(alert)
        return [alert.id, isNew ? { seen: alert.seen, since: elapsed() } : before]
      }),
    )
    const gone = open.filter(({ id }) => elapsed() - (last.get(id)?.since ?? elapsed()) >= quietMs)
    const isNews = found.some(({ opens }) => opens) || open.some(isFound) || gone.length > 0
    if (!isNews) return open
    await ledger.noteAlerts({ found, gone })
    return ledger.openAlerts()
  }
}
