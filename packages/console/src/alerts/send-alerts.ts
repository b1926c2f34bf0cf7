import { randomUUID } from 'node:crypto'
import type { Log } from '@pawl/base/log'
import { deadAfterFailures } from './find-alerts.ts'
import { messageOf } from './message.ts'
import { type AlertTarget, sendTimeoutMs } from './target.ts'
import type { WorkViews } from '@pawl/ledger/views/read-work'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'

export interface SendAlertsDeps {
  ledger: Pick<AlertBook, 'takeAlertTurn' | 'endAlertTurn'> & Pick<WorkViews, 'waitingCases'>
  adminUrl: string | undefined
  /** Milliseconds between two checks, and the first backoff; each further backoff doubles. */
  intervalMs: number
  now: () => number
  /** From 0 to 1. */
  random: () => number
  log: Log
}

/** Lease of a turn, in milliseconds. */
const leaseMs = sendTimeoutMs + 5_000
/** Maximum wait after a failure, in milliseconds. */
const maxWaitMs = 900_000
/** Checks without a message after a message, unless an alert opens: the next one holds all that happened in that time. */
const restChecks = 20

/** Makes a function that sends a target one message with all unsent alerts, if this process gets the turn. The turn is recorded after the target's answer: a process killed in between causes a duplicate message. */
export function createSendAlerts(deps: SendAlertsDeps): (target: AlertTarget) => Promise<void> {
  const { ledger, adminUrl, intervalMs, now, random, log } = deps
  const restMs = intervalMs * restChecks
  const maxRestMs = Math.max(restMs, maxWaitMs, leaseMs)

  return async ({ name, send }) => {
    const owner = randomUUID()
    const turn = await ledger.takeAlertTurn(name, { owner, leaseMs, maxRestMs, restMs })
    if (turn === undefined) return
    const { alerts, failures } = turn
    const answer = await send(messageOf(alerts, { adminUrl, waitingCases: await ledger.waitingCases(), at: now() }))
    if (answer.ok) {
      await ledger.endAlertTurn(name, owner, { told: alerts, restMs })
      if (failures >= deadAfterFailures) log.info({ component: 'alerts', system: name }, 'alerts reach a target again')
      return
    }
    const backoffMs = Math.min(maxWaitMs, intervalMs * 2 ** Math.min(failures, 20))
    const waitMs = Math.round(backoffMs * (1 - random() / 2))
    const line = { component: 'alerts', system: name, code: answer.code, attempt: failures + 1, retry_in_ms: waitMs }
    if (failures + 1 >= deadAfterFailures) log.error(line, 'alerts do not reach a target')
    else log.warn(line, 'an alert was not sent')
    await ledger.endAlertTurn(name, owner, { errorCode: answer.code, restMs: waitMs })
  }
}
