import type { AlertKey } from '@pawl/ledger/alerts/alert-records'
import { type Away, refusalOf } from '@pawl/ledger/away'

/** Key of the alert about an absence: each way in which a system refuses all of pawl has its own. */
export function keyOfAbsence({ system, request, error }: Away): AlertKey {
  if (request !== undefined) return { kind: 'refuses', subject: system }
  const status = refusalOf(error)
  return { kind: 'away', subject: status === undefined ? system : `${system} ${status}` }
}

/** The open alert about an absence; if another process found that, the newest about its system. `alerts`: oldest first. */
export function alertOfAbsence<Alert extends AlertKey>(away: Away, alerts: readonly Alert[]): Alert | undefined {
  const { kind, subject } = keyOfAbsence(away)
  const subjectOf = (alert: Alert) => (away.error === undefined ? alert.subject.split(' ', 1)[0] : alert.subject)
  return alerts.findLast((alert) => alert.kind === kind && subjectOf(alert) === subject)
}
