import type { Core } from '../core.ts'
import { addAlertTargets, endAlertTurn, takeAlertTurn } from './alert-targets.ts'
import { alertsLock, noteAlerts } from './note-alerts.ts'
import type {
  AlertRecord,
  AlertTargetName,
  AlertTurn,
  AlertTurnEnd,
  AlertTurnWanted,
  FoundAlert,
} from './alert-records.ts'

/** Opens and closes alerts, and grants turns to send them. */
export interface AlertBook {
  /** Opens and renews found alerts, and closes gone ones not seen since; counts each step once, however many processes report it. */
  noteAlerts(noted: { found: readonly FoundAlert[]; gone: readonly Pick<AlertRecord, 'id' | 'seen'>[] }): Promise<void>
  /** Adds the targets that are new. */
  addAlertTargets(names: readonly AlertTargetName[]): Promise<void>
  /** Takes the turn to send one message to a target; `undefined` if there is nothing to send, another process has the turn, or the target is to be left alone for now, which an alert that opens ends. */
  takeAlertTurn(name: AlertTargetName, wanted: AlertTurnWanted): Promise<AlertTurn | undefined>
  /** Ends a turn; no effect if its lease ended and another process has it. */
  endAlertTurn(name: AlertTargetName, owner: string, end: AlertTurnEnd): Promise<void>
}

export function createAlertBook({ commits }: Core): AlertBook {
  const touches = () => [alertsLock]
  return {
    noteAlerts: (noted) => commits.write((trx, now) => noteAlerts(trx, noted, now), touches),
    addAlertTargets: (names) => commits.write((trx) => addAlertTargets(trx, names), touches),
    takeAlertTurn: (name, wanted) => commits.write((trx, now) => takeAlertTurn(trx, name, wanted, now), touches),
    endAlertTurn: (name, owner, end) => commits.write((trx, now) => endAlertTurn(trx, name, owner, end, now), touches),
  }
}
