import { wayOf } from '@pawl/base/net/clock-ahead'
import type { ShownAlert } from '../alerts/alerts.ts'
import { ago, duration } from '@pawl/base/pages/words'
import type { WritesBlocked } from '@pawl/ledger/upkeep/watch-writes'
import type { Finding, Verdict } from '../contract/status-verdict.ts'
import { isPast } from '../faults/catalogue.ts'
import { faultOf } from '../faults/fault.ts'
import { inCases } from '../faults/names.ts'
import { sayReason } from '../faults/reasons.ts'
import { allWork, isPaused } from '../pausing.ts'
import { deliveryFindings, lowDisk } from './deliveries.ts'
import type { Facts } from './facts.ts'
import { failingWork, parkedWork, retriedWork } from './failed-work.ts'
import { afterPausedStart, pausedWork } from './pauses.ts'
import { quietAfterMs } from './moments.ts'
import { gapOfPausedStart, unheardCases } from './missed-cases.ts'
import { absentSystems, triedSystems } from './absent-systems.ts'

/** Judges the state of pawl, the most urgent finding first. One function for the overview, `pawl status` and the JSON API. */
export function judge(facts: Facts): Verdict {
  const { pauses, alerts, blocked, queueOutage, audit, now } = facts
  const alertsOf = (...kinds: ShownAlert['kind'][]) =>
    alerts.flatMap(({ kind, fault }) => (kinds.includes(kind) ? fault : []))
  const { turnedAway, others: deliveries } = deliveryFindings(facts)
  const findings: Finding[] = [
    ...(blocked === undefined ? [] : [{ ...blockedLedger(blocked), since: Math.round(now - blocked.forMs) }]),
    ...turnedAway,
    ...(audit === 'altered' ? [alteredTrail(alerts)] : []),
    ...deliveries,
    ...absentSystems(facts),
    ...parkedWork(facts),
    ...pauses.filter(({ kind }) => kind === 'all').map((pause) => pausedWork(pause, facts)),
    ...dueWork(facts),
    ...failingWork(facts),
    ...retriedWork(facts),
    ...pauses.filter(({ kind }) => kind !== 'all').map((pause) => pausedWork(pause, facts)),
    ...triedSystems(facts),
    ...(queueOutage === undefined
      ? []
      : [{ ...faultOf('queue', {}, sayReason(queueOutage.code)), since: Math.round(now - queueOutage.forMs) }]),
    ...wrongClock(facts),
    ...lowDisk(facts),
    ...afterPausedStart(facts),
    ...unheardCases(gapOfPausedStart(facts), facts),
    ...alertsOf('retention', 'backup', 'target', 'budget', 'unacknowledged'),
  ]
  const [first, ...others] = findings
    // Of before a clock was set back, times may lie in the future.
    .map((finding) => (finding.since === undefined ? finding : { ...finding, since: Math.min(finding.since, now) }))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
  return first === undefined ? [allWell(facts)] : [first, ...others]
}

/** Sorts by severity; within one, faults that last come before those that are over. */
function rankOf({ code, severity }: Finding): number {
  return severities.indexOf(severity) * 2 + Number(isPast(code))
}

const severities: readonly Finding['severity'][] = ['bad', 'warn', 'wait', 'good']

/** Why the ledger rejects writes. */
export function blockedLedger({ code, by }: WritesBlocked) {
  if (code === 'locked')
    return faultOf('ledger_locked', {}, `${by.length === 0 ? 'another process' : by.join(', ')} holds a lock`)
  return code === 'read_only'
    ? faultOf('ledger_read_only', {}, 'its server is read-only')
    : faultOf('ledger_silent', {}, sayReason(code))
}

function dueWork({ counts, pauses, alerts, lastRunAgoMs = Infinity, now }: Facts): Finding[] {
  if (isPaused(pauses, allWork) || counts.oldestDueMs < quietAfterMs) return []
  if (!alerts.some(({ kind }) => kind === 'oldest_due')) return []
  const due = `${inCases(counts.due)} ${counts.due === 1 ? 'is' : 'are'} due, nothing lost.`
  // No `since`: the age of the oldest changes all the time while workers catch up.
  if (lastRunAgoMs < busyWithinMs) return [faultOf('workers_behind', { due })]
  return [{ ...faultOf('no_worker', { due }), since: Math.round(now - counts.oldestDueMs) }]
}

/** A busy worker ends runs more often than this, in milliseconds. */
const busyWithinMs = 10_000

/** Difference of clocks beyond which times mislead, and tokens of the service may be refused. Milliseconds. */
const wrongClockMs = 120_000

function wrongClock({ clockAheadMs = 0 }: Facts): Finding[] {
  if (Math.abs(clockAheadMs) <= wrongClockMs) return []
  return [faultOf('clock_wrong', { by: duration(Math.abs(clockAheadMs)), way: wayOf(clockAheadMs) })]
}

function alteredTrail(alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find(({ kind }) => kind === 'audit')
  return { ...faultOf('audit'), ...(alert && { since: alert.beganAt }) }
}

/** Number of due resources from which the verdict waits before it calls all well, such as after a resume. */
const muchDue = 10

/** Age of the newest delivery from which its age is news, and not its duration. */
const quietHourMs = 3_600_000

function allWell({ newest, counts: { due }, now }: Facts): Finding {
  return {
    code: 'well',
    severity: 'good',
    title: due < muchDue ? 'All is well' : 'All is well so far',
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
      syncedAt === undefined ? 'on its way' : `in sync after ${duration(Math.max(0, syncedAt - receivedAt))}`
    return `Newest delivery ${ago(ageMs)}, ${state}.`
  }
}
