import { setTimeout as sleep } from 'node:timers/promises'
import type { AlertRecord, AlertTargetRecord } from '@pawl/ledger/alerts/alert-records'
import type { Log } from '@pawl/base/log'
import type { Finding } from '../contract/status-verdict.ts'
import { faultOfAlert } from '../faults/fault-of-alert.ts'
import { createFindAlerts, deadAfterFailures, type FindAlertsDeps } from './find-alerts.ts'
import { testMessage } from './message.ts'
import { createSendAlerts } from './send-alerts.ts'
import type { AlertTarget, TargetAnswer } from './target.ts'
import { createWatchAlerts } from './watch-alerts.ts'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'
import type { WorkViews } from '@pawl/ledger/views/read-work'

export interface AlertsDeps extends Omit<FindAlertsDeps, 'ledger' | 'targetNames' | 'elapsed'> {
  ledger: FindAlertsDeps['ledger'] & Pick<WorkViews, 'waitingCases'> & AlertBook
  targets: readonly AlertTarget[]
  adminUrl: string | undefined
  /** Monotonic time in milliseconds. Default: since process start. */
  elapsed?: () => number
  random: () => number
  log: Log
}

/** An alert, with its fault. */
export type ShownAlert = AlertRecord & { fault: Finding }

/** State of a configured target. */
export type ShownTarget = AlertTargetRecord & { isDead: boolean }

/** pawl's own alerts, in one process. */
export interface Alerts {
  /** The open alerts, and the state of each target. */
  read(this: void): Promise<{ open: ShownAlert[]; targets: ShownTarget[] }>
  /** Open and past alerts, newest first. */
  list(this: void, limit: number, before?: number): Promise<ShownAlert[]>
  /** Result of the last round, without waiting; before the first, the targets of the settings. */
  last(this: void): { open: readonly AlertRecord[]; targets: readonly ShownTarget[] }
  /** Sends a test message to each target; resolves with each answer. */
  test(this: void): Promise<({ target: string } & TargetAnswer)[]>
  /** Runs a round now and sends pending messages. Never rejects. */
  round(this: void): Promise<void>
  /** Lets a message in flight finish, for at most `graceMs`. */
  close(this: void, graceMs: number): Promise<void>
}

/** Rounds without a finding after which an alert is over, so that a flapping condition is one alert. */
const quietRounds = 4

/** A target before the first round. */
function untold(name: AlertTarget['name']): ShownTarget {
  const none = { failingForMs: undefined, errorCode: undefined, sentAgoMs: undefined }
  return { name, failures: 0, waiting: 0, isDead: false, ...none }
}

/** Checks for alerts every `intervalMs` and notifies the targets. */
export function startAlerts(deps: AlertsDeps): Alerts {
  const { ledger, targets, intervalMs, clock, log } = deps
  const { elapsed = () => performance.now() } = deps
  const targetNames = targets.map(({ name }) => name)
  const find = createFindAlerts({ ...deps, elapsed, targetNames })
  const watch = createWatchAlerts({ ledger, quietMs: quietRounds * intervalMs, elapsed })
  const send = createSendAlerts({ ...deps, now: clock.now })
  const stopping = new AbortController()
  let last: ReturnType<Alerts['last']> = { open: [], targets: targetNames.map(untold) }

  async function show(alerts: readonly AlertRecord[]): Promise<ShownAlert[]> {
    const waitingCases = await ledger.waitingCases()
    return alerts.map((alert) => ({ ...alert, fault: faultOfAlert(alert, { waitingCases }) }))
  }

  async function readTargets(): Promise<ShownTarget[]> {
    const known = await ledger.alertTargets(targetNames)
    return known.map((target) => ({ ...target, isDead: target.failures >= deadAfterFailures }))
  }

  let isKnown = false
  async function look(): Promise<void> {
    if (!isKnown && targets.length > 0) await ledger.addAlertTargets(targetNames)
    isKnown = true
    const open = await watch(await find())
    last = { open, targets: await readTargets() }
    const waiting = last.targets.flatMap(({ name, waiting: count }) => (count > 0 ? [name] : []))
    if (waiting.length === 0 || stopping.signal.aborted) return
    await Promise.all(targets.filter(({ name }) => waiting.includes(name)).map(send))
    last = { open, targets: await readTargets() }
  }

  let round: Promise<void> | undefined
  function runRound(): Promise<void> {
    round ??= look()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ component: 'alerts', error }, 'check for alerts failed')
      })
      .finally(() => (round = undefined))
    return round
  }
  const timer = setInterval(() => void runRound(), intervalMs).unref()

  return {
    read: async () => ({ open: await show(await ledger.openAlerts()), targets: await readTargets() }),
    list: async (limit, before) => show(await ledger.listAlerts(limit, before)),
    last: () => last,
    test: () => {
      const message = testMessage(clock.now())
      return Promise.all(targets.map(async (target) => ({ target: target.name, ...(await target.send(message)) })))
    },
    round: runRound,
    async close(graceMs) {
      clearInterval(timer)
      stopping.abort()
      await Promise.race([round, sleep(graceMs, undefined, { ref: false })])
      for (const target of targets) target.close()
    },
  }
}
