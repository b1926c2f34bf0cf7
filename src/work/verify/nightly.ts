import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@pawl/base/clock'
import type { Log } from '@pawl/base/log'
import type { Digest } from '@pawl/connector/digest'
import { isDisorder } from '@pawl/base/system-notes'
import type { AlertBook } from '@pawl/ledger/alerts/create-alert-book'
import type { AlertViews } from '@pawl/ledger/alerts/alert-targets'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import { type Rounds, startRounds } from '@pawl/ledger/upkeep/start-rounds'
import type { RememberedViews } from '@pawl/ledger/views/remembered'
import { readBack, resourcesSince, type Verifiable } from './read-back.ts'

export interface NightlyDeps extends Verifiable {
  /** Time of day, `HH:MM` in the process's zone. */
  at: string
  digest: Digest
  ledger: RememberedViews &
    Pick<Upkeep, 'beginNightly' | 'endNightly'> &
    Pick<AlertBook, 'noteAlerts'> &
    Pick<AlertViews, 'openAlerts'>
  /** Whether a person lets the system rest: it is read once that is over. */
  isPaused: () => Promise<boolean>
  clock: Clock
  log: Log
  /** Pause between two resources, in milliseconds, so that the chart's users come first. Default 200. */
  restMs?: number
}

/** Longest wait between two looks at the clock, which may be set. Milliseconds. */
const lookEveryMs = 60_000

/** Makes a look at the clock which, once a night and in one of all processes, reads back from the system the resources that the service told something new of: since the last night without a difference, one at a time. Differences open an alert, which a night without any ends. It never rejects. */
export function createNightly({ at, ledger, isPaused, clock, log, restMs = 200, ...reading }: NightlyDeps) {
  const { name } = reading
  const task = `verify ${name}`

  /** The resources that differ; undefined if the process stops. */
  async function verifySince(since: number, signal: AbortSignal): Promise<string[] | undefined> {
    const differing: string[] = []
    for await (const { resources } of resourcesSince(ledger.rememberedAfter, since))
      for (const resource of resources) {
        if (signal.aborted) return undefined
        const found = await readBack(resource, { ...reading, readAgain: ledger.remembered, signal })
        if (found !== 'in_work' && found.records.some(({ is }) => isDisorder(is))) differing.push(resource.id)
        await sleep(restMs, undefined, { signal })
      }
    return differing
  }

  async function runNight({ since, begunAt }: { since: number; begunAt: number }, signal: AbortSignal): Promise<void> {
    const differing = await verifySince(since, signal)
    if (differing === undefined) return
    log[differing.length === 0 ? 'info' : 'warn'](
      { system: name, count: differing.length },
      'what differs in the system',
    )
    const [resourceId] = differing
    if (resourceId !== undefined) {
      const alert = {
        kind: 'differs',
        subject: name,
        level: 0,
        count: differing.length,
        resourceId,
        opens: true,
      } as const
      return ledger.noteAlerts({ found: [alert], gone: [] })
    }
    await ledger.endNightly(task, begunAt)
    const open = await ledger.openAlerts()
    await ledger.noteAlerts({
      found: [],
      gone: open.filter(({ kind, subject }) => kind === 'differs' && subject === name),
    })
  }

  return async (stopping: AbortSignal): Promise<void> => {
    try {
      if (await isPaused()) return
      const now = clock.now()
      const night = await ledger.beginNightly(task, now - lastTimeAt(at, now))
      if (night !== undefined) await runNight(night, stopping)
    } catch (error) {
      if (!stopping.aborted) log.error({ system: name, error }, 'what the system holds could not be read this night')
    }
  }
}

/** Looks at once, and then each minute. */
export function startNightly(deps: NightlyDeps): Rounds {
  const look = createNightly(deps)
  return startRounds(async (stopping) => {
    await look(stopping)
    return lookEveryMs
  })
}

/** The last moment with this time of day, in milliseconds since 1970. */
export function lastTimeAt(timeOfDay: string, now: number): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(':').map(Number)
  const at = new Date(now)
  at.setHours(hours, minutes, 0, 0)
  // A day back by the calendar: days with a change of the clocks are longer or shorter.
  if (at.getTime() > now) at.setDate(at.getDate() - 1)
  return at.getTime()
}
