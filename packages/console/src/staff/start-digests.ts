import type { Clock } from '@pawl/base/clock'
import type { Log } from '@pawl/base/log'
import type { Turns } from '@pawl/ledger/upkeep/create-turns'
import { type Rounds, startRounds } from '@pawl/ledger/upkeep/start-rounds'
import { createEmailTarget } from '../alerts/email-target.ts'
import { deadAfterFailures } from '../alerts/find-alerts.ts'
import type { AlertTarget } from '../alerts/target.ts'
import { type DigestLinks, staffDigestOf } from './staff-digest.ts'
import { readStaffEntries, type StaffViews } from './staff-list.ts'
import type { staffFrom } from './staff-settings.ts'
import type { Team } from './team.ts'

export interface DigestsDeps {
  ledger: StaffViews & Turns
  staff: ReturnType<typeof staffFrom>
  links: DigestLinks
  clock: Clock
  log: Log
  /** Time between two checks, in milliseconds. Default 30,000. */
  everyMs?: number
  /** Milliseconds until a mail that failed, or whose process died, is tried again. Default 300,000. */
  retryMs?: number
}

/** The list of one team, as this process knows it. */
interface TeamList {
  team: Team
  target: AlertTarget
  /** The time for which it was mailed, or nothing waited. */
  doneFor: number
  /** Consecutive failed attempts. */
  failures: number
}

/** Max entries of a mail. */
const maxEntries = 200

const mailed = { component: 'staff', system: 'email' } as const

/**
 * Mails each team once a day what waits for it, from one process. What fails is tried again until the day ends; the next day's list has it, too. A
 * process killed between the mail and its record causes a second copy with the same Message-ID.
 */
export async function startDigests(deps: DigestsDeps): Promise<Rounds> {
  const { ledger, staff, links, clock, log, everyMs = 30_000, retryMs = 300_000 } = deps
  const { teams, mail, at } = staff
  const lists: TeamList[] = []
  if (mail !== undefined)
    for (const team of teams)
      lists.push({ team, target: await createEmailTarget({ ...mail, to: team.to }), doneFor: 0, failures: 0 })

  async function look(list: TeamList, dueAt: number): Promise<void> {
    const { team, target } = list
    const task = `digest ${team.name}`
    const turn = await ledger.takeTurn(task, { dueAt, restMs: retryMs })
    if (turn === 'done') list.doneFor = dueAt
    if (turn !== 'taken') return
    const { entries, isAll } = await readStaffEntries(ledger, team, { limit: maxEntries, now: clock.now() })
    if (entries.length > 0) {
      const answer = await target.send(staffDigestOf(team, { entries, isAll, dueAt }, links))
      if (!answer.ok) {
        list.failures += 1
        const line = { ...mailed, code: answer.code, attempt: list.failures, retry_in_ms: retryMs }
        if (list.failures >= deadAfterFailures) log.error(line, 'the list for staff does not reach a team')
        else log.warn(line, 'the list for staff was not mailed')
        return
      }
      log.info({ ...mailed, count: entries.length }, 'the list for staff was mailed to a team')
    }
    await ledger.endTurn(task, dueAt)
    list.doneFor = dueAt
    list.failures = 0
  }

  if (lists.length === 0) return { close: () => Promise.resolve() }
  const rounds = startRounds(async (stopping) => {
    const now = clock.now()
    const dueAt = new Date(now).setHours(at.hours, at.minutes, 0, 0)
    for (const list of lists)
      if (now >= dueAt && list.doneFor !== dueAt && !stopping.aborted)
        await look(list, dueAt).catch((error: unknown) => {
          if (!stopping.aborted) log.error({ component: 'staff', error }, 'the list for staff could not be mailed')
        })
    return everyMs
  })
  return {
    async close() {
      await rounds.close()
      for (const { target } of lists) target.close()
    },
  }
}
