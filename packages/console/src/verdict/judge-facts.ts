import type { ShownAlert } from '../alerts/alerts.ts'
import { duration } from '@pawl/base/pages/words'
import type { Finding, Verdict } from '../contract/status-verdict.ts'
import { allWork, isPaused } from '../pausing.ts'
import { runbookSections } from '../runbook-sections.ts'
import { deliveryFindings, lowDisk } from './deliveries.ts'
import type { Facts, QueueOutage } from './facts.ts'
import { failingWork, parkedWork } from './failed-work.ts'
import { afterPausedStart, pausedWork } from './pauses.ts'
import { inCases, quietAfterMs } from './phrases.ts'
import { gapOfPausedStart, unheardCases } from './missed-cases.ts'
import { blockedLedger } from './blocked-ledger.ts'
import { absentSystems, triedSystems } from './absent-systems.ts'

/** Judges how pawl stands, the most urgent first. One function for the overview, `pawl status` and the JSON API. */
export function judge(facts: Facts): Verdict {
  const { pauses, alerts, queueOutage, audit, now } = facts
  const alertsOf = (...kinds: ShownAlert['kind'][]) =>
    alerts.filter(({ kind }) => kinds.includes(kind)).map((alert) => fromAlert(alert))
  const { turnedAway, others: deliveries } = deliveryFindings(facts)
  const [first, ...others]: Finding[] = [
    ...blockedLedger(facts),
    ...turnedAway,
    ...(audit === 'altered' ? [alteredTrail(alerts)] : []),
    ...deliveries,
    ...absentSystems(facts),
    ...parkedWork(facts),
    ...pauses.filter(({ kind }) => kind === 'all').map((pause) => pausedWork(pause, facts)),
    ...dueWork(facts),
    ...failingWork(facts),
    ...pauses.filter(({ kind }) => kind !== 'all').map((pause) => pausedWork(pause, facts)),
    ...triedSystems(facts),
    ...(queueOutage === undefined ? [] : [silentQueue(queueOutage, now)]),
    ...lowDisk(facts),
    ...afterPausedStart(facts),
    ...unheardCases(gapOfPausedStart(facts), facts),
    ...alertsOf('retention', 'backup', 'target', 'budget'),
  ]
  return first === undefined ? [allWell(facts)] : [first, ...others]
}

/** Titles that say a duration or an age themselves. */
const isDated: readonly ShownAlert['kind'][] = ['backup', 'retention']

function fromAlert({ kind, title, advice, command, page, beganAt }: ShownAlert): Finding {
  return {
    tone: kind === 'target' ? 'bad' : 'warn',
    what: title.charAt(0).toUpperCase() + title.slice(1),
    ...(!isDated.includes(kind) && { since: beganAt }),
    note: advice,
    // The overview itself is no way on.
    ...(page !== '/' && { page, act: 'See the alert' }),
    ...(command !== undefined && { command }),
  }
}

function dueWork({ counts, pauses, alerts, lastRunAgoMs = Infinity, now }: Facts): Finding[] {
  if (isPaused(pauses, allWork) || counts.oldestDueMs < quietAfterMs) return []
  return alerts
    .filter(({ kind }) => kind === 'oldest_due')
    .map(() => ({
      // The age of the oldest changes from moment to moment while they catch up.
      ...(lastRunAgoMs < busyWithinMs ? catchingUp : { ...idle, since: Math.round(now - counts.oldestDueMs) }),
      effect: `${inCases(counts.due)} ${counts.due === 1 ? 'is' : 'are'} due, nothing lost.`,
      runbook: runbookSections.worker,
    }))
}

/** A worker that has work ends a run of it more often. */
const busyWithinMs = 10_000
const idle = {
  tone: 'bad',
  what: 'No worker has begun work',
  todo: 'Start one:',
  note: 'No run of a handler has ended within ten seconds. A worker that was just started needs some seconds.',
  command: 'systemctl start pawl@worker',
} as const
const catchingUp = {
  tone: 'wait',
  what: 'Workers are behind',
  todo: 'Wait, as long as that number falls.',
  note: 'They have ended runs within the last ten seconds. If the number grows, add a worker.',
  command: 'pawl status',
} as const

function alteredTrail(alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find(({ kind }) => kind === 'audit')
  return {
    tone: 'bad',
    what: 'The audit trail has been broken',
    ...(alert && { since: alert.beganAt }),
    why: 'rows were changed, cut off or restored',
    effect: 'All work goes on.',
    todo: 'Find out who can write to the ledger.',
    note: 'Verifying names the rows; acknowledge it with a reason then.',
    page: '/audit',
    act: 'Verify the trail',
    command: 'pawl audit verify',
  }
}

function silentQueue({ forMs, code }: QueueOutage, now: number): Finding {
  return {
    tone: 'warn',
    what: "The queue's server has not answered",
    since: Math.round(now - forMs),
    why: code,
    effect: 'Work begins later, nothing lost.',
    todo: 'Start that server again.',
    command: 'pawl doctor',
  }
}

/** From here on, such as just after work was resumed, it is not yet known whether all of it succeeds. */
const muchDue = 10

/** From here on the age of the newest delivery is news, and the time that it took is not. */
const quietHourMs = 3_600_000

function allWell({ newest, counts: { due }, now }: Facts): Finding {
  return {
    tone: 'good',
    what: due < muchDue ? 'All is well' : 'All is well so far',
    effect:
      due >= muchDue
        ? `${inCases(due)} are being worked on.`
        : newest === undefined
          ? 'No webhook has come lately.'
          : say(newest),
  }

  function say({ receivedAt, syncedAt }: NonNullable<Facts['newest']>): string {
    const ageMs = Math.max(0, now - receivedAt)
    if (ageMs > quietHourMs && syncedAt !== undefined) return `No new delivery for ${duration(ageMs)}.`
    const state =
      syncedAt === undefined ? 'on its way' : `in step after ${duration(Math.max(0, syncedAt - receivedAt))}`
    return `Newest delivery ${duration(ageMs)} ago, ${state}.`
  }
}
