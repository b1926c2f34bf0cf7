import { randomUUID } from 'node:crypto'
import type { Log } from '@pawl/base/log'
import type { CheckOf } from './describe-alert.ts'
import { deadAfterFailures } from './find-alerts.ts'
import { nextMessage } from './message.ts'
import { type AlertTarget, sendTimeoutMs } from './target.ts'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'

export interface SendAlertsDeps {
  ledger: Pick<AlertBook, 'takeAlertTurn' | 'endAlertTurn'>
  checkOf: CheckOf
  adminUrl: string | undefined
  maxPerHour: number
  /** First wait after a failure, in milliseconds; each further one doubles. */
  baseRetryMs: number
  /** From 0 to 1. */
  random: () => number
  log: Log
}

/** Lease of a turn, in milliseconds. */
const leaseMs = sendTimeoutMs + 5_000
/** Maximum wait after a failure, in milliseconds. */
const maxWaitMs = 900_000

/** Makes a function that sends a target its pending messages, one by one, while this process has the turn and the target takes them. The turn is recorded after the target's answer: a process killed in between causes a duplicate message. */
export function createSendAlerts(deps: SendAlertsDeps): (target: AlertTarget, signal: AbortSignal) => Promise<void> {
  const { ledger, checkOf, adminUrl, maxPerHour, baseRetryMs, random, log } = deps

  /** Resolves with whether to send the next message. */
  async function sendNext(target: AlertTarget): Promise<boolean> {
    const { name } = target
    const owner = randomUUID()
    const turn = await ledger.takeAlertTurn(name, { owner, leaseMs, maxWaitMs, maxPerHour })
    const { sentLastHour = 0, failures = 0 } = turn ?? {}
    const next = nextMessage(turn?.news ?? [], { checkOf, adminUrl, maxPerHour, sentLastHour })
    if (next === undefined) return false
    const answer = await target.send(next.message)
    if (answer.ok) {
      await ledger.endAlertTurn(name, owner, { sentUpTo: next.upTo })
      if (failures >= deadAfterFailures) log.info({ component: 'alerts', system: name }, 'alerts reach a target again')
      return true
    }
    const backoffMs = Math.min(maxWaitMs, baseRetryMs * 2 ** Math.min(failures, 20))
    const retryInMs = Math.round(backoffMs * (1 - random() / 2))
    const line = { component: 'alerts', system: name, code: answer.code, attempt: failures + 1, retry_in_ms: retryInMs }
    if (failures + 1 >= deadAfterFailures) log.error(line, 'alerts do not reach a target')
    else log.warn(line, 'an alert was not sent')
    await ledger.endAlertTurn(name, owner, { errorCode: answer.code, retryInMs })
    return false
  }

  return async (target, signal) => {
    let mayGoOn = true
    while (mayGoOn && !signal.aborted) mayGoOn = await sendNext(target)
  }
}
