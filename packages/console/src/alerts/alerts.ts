import { setTimeout as sleep } from 'node:timers/promises'
import type { AlertRecord, AlertTargetRecord } from '@pawl/ledger/alerts/alert-records'
import type { Log } from '@pawl/base/log'
import { createFindAlerts, deadAfterFailures, type FindAlertsDeps } from './find-alerts.ts'
import { type AlertText, type CheckOf, describeAlert } from './describe-alert.ts'
import { testMessage } from './message.ts'
import { createSendAlerts } from './send-alerts.ts'
import type { AlertTarget, TargetAnswer } from './target.ts'
import { createWatchAlerts } from './watch-alerts.ts'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'
import type { AlertViews } from '@pawl/ledger/alerts/alert-targets'

export interface AlertsDeps extends Omit<FindAlertsDeps, 'ledger' | 'targetNames' | 'elapsed'> {
  ledger: FindAlertsDeps['ledger'] & Pick<AlertViews, 'openAlerts' | 'listAlerts'> & AlertBook
  targets: readonly AlertTarget[]
  checkOf: CheckOf
  adminUrl: string | undefined
  maxPerHour: number
  /** Monotonic time in milliseconds. Default: since process start. */
  elapsed?: () => number
  random: () => number
  log: Log
}

/** An alert with its text for people. */
export type ShownAlert = AlertRecord & AlertText

/** State of a configured target. */
export type ShownTarget = AlertTargetRecord & { isDead: boolean }

/** pawl's own alerts, in one process. */
export interface Alerts {
  /** The open alerts, and the state of each target. */
  read(this: void): Promise<{ open: ShownAlert[]; targets: ShownTarget[] }>
  /** Open and past alerts, newest first. */
  list(this: void, limit: number, before?: number): Promise<ShownAlert[]>
  /** Result of the last round, without waiting. */
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

/** Looks for alerts every `intervalMs` and notifies the targets. */
export function startAlerts(deps: AlertsDeps): Alerts {
  const { ledger, targets, checkOf, adminUrl, maxPerHour, intervalMs, clock, random, log } = deps
  const { elapsed = () => performance.now() } = deps
  const targetNames = targets.map(({ name }) => name)
  const find = createFindAlerts({ ...deps, elapsed, targetNames })
  const watch = createWatchAlerts({ ledger, quietMs: quietRounds * intervalMs, elapsed })
  const send = createSendAlerts({ ledger, checkOf, adminUrl, maxPerHour, baseRetryMs: intervalMs, random, log })
  const stopping = new AbortController()
  let last: ReturnType<Alerts['last']> = { open: [], targets: [] }

  const shown = (alert: AlertRecord): ShownAlert => ({ ...alert, ...describeAlert(alert, checkOf) })

  async function readTargets(): Promise<ShownTarget[]> {
    const known = await ledger.alertTargets(targetNames)
    const unknown = { failures: 0, failingForMs: undefined, errorCode: undefined, sentAgoMs: undefined, waiting: 0 }
    return targetNames.map((name) => {
      const target = known.find((each) => each.name === name) ?? { name, ...unknown }
      return { ...target, isDead: target.failures >= deadAfterFailures }
    })
  }

  async function look(): Promise<void> {
    const open = await watch(await find())
    const before = await readTargets()
    last = { open, targets: before }
    // A target without a row gets one by its first turn.
    const known = new Set((await ledger.alertTargets(targetNames)).map(({ name }) => name))
    const mayWait = (name: string) => !known.has(name) || before.some((each) => each.name === name && each.waiting > 0)
    await Promise.all(targets.filter(({ name }) => mayWait(name)).map((target) => send(target, stopping.signal)))
    last = { open, targets: await readTargets() }
  }

  let round: Promise<void> | undefined
  function runRound(): Promise<void> {
    round ??= look()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ component: 'alerts', error }, 'alerts could not be looked at')
      })
      .finally(() => (round = undefined))
    return round
  }
  const timer = setInterval(() => void runRound(), intervalMs).unref()

  return {
    read: async () => ({ open: (await ledger.openAlerts()).map(shown), targets: await readTargets() }),
    list: async (limit, before) => (await ledger.listAlerts(limit, before)).map(shown),
    last: () => last,
    test: () => {
      const message = testMessage(clock.now())
      return Promise.all(targets.map(async ({ name, send }) => ({ target: name, ...(await send(message)) })))
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
