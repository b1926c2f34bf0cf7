import type { AlertRecord, FoundAlert } from '../ledger/alerts/alert-records.ts'
import type { AlertBook } from '../ledger/alerts/create-alert-book.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface WatchAlertsDeps {
  ledger: Pick<Views, 'openAlerts'> & Pick<AlertBook, 'noteAlerts'>
  /** An alert is over once no process found it for so long, in milliseconds. */
  quietMs: number
  elapsed: () => number
}

/** Makes what brings the alerts of the ledger in line with what was found; resolves with those that are open. What another process alone can see is over when it has not said so for a while; that time is measured here, so that no clock that is set ends anything. */
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
