import { duration } from '@pawl/base/pages/words'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Away } from '@pawl/ledger/away'
import type { AlertRecord } from '@pawl/ledger/alerts/alert-records'
import type { Finding } from '../contract/status-verdict.ts'
import { alertOfAbsence } from '../alerts/alert-of-absence.ts'
import { faultOf } from '../faults/fault.ts'
import { reasonOf } from '../faults/reasons.ts'
import { absence } from '../faults/fault-of-alert.ts'
import { casesWaitingFor, namesOfSystem, sayWaiting } from '../faults/names.ts'
import { pauseOver, isPaused } from '../pausing.ts'
import type { Facts } from './facts.ts'
import { earliest } from './moments.ts'

/** Systems that are away, and systems that refuse pawl or a kind of request. */
export function absentSystems(facts: Facts): Finding[] {
  const { away, pauses } = facts
  return (
    joinRequests(away)
      // A paused system gets no requests, so its absence is no news.
      .filter((each) => !isPaused(pauses, { kind: 'system', name: each.system }) && !isPartOfOutage(away, each))
      .map((each) => (isUnconfirmed(each, facts) ? triedSystem(each, facts) : absentSystem(each, facts)))
  )
}

/** Merges the kinds of request that a system refuses alike, since the first refusal. */
export function joinRequests(away: readonly Away[]): Away[] {
  const alike = groupBy(away, ({ system, request, error }) =>
    [system, request !== undefined, error?.httpStatus].join(' '),
  )
  return [...alike.values()].flatMap((own) => {
    // The one found first.
    const [first] = own.toSorted((a, b) => (b.forMs ?? 0) - (a.forMs ?? 0))
    const requests = own.flatMap(({ request }) => request ?? [])
    if (first === undefined || requests.length < 2) return own
    return [{ ...first, request: requests.length === 2 ? requests.join(', ') : `${requests.length} kinds of request` }]
  })
}

/** Whether only another process found the outage, and this one cannot judge it: it has just started, perhaps with the fix, or no alert has the reason yet. */
function isUnconfirmed(away: Away, { alerts, runningMs = Infinity }: Facts): boolean {
  return away.error === undefined && (runningMs < newMs || alertOfAbsence(away, alerts) === undefined)
}

/** Milliseconds after a start within which a process has tried all systems that have work. */
const newMs = 20_000

/** Systems that are not away but have waiting work: pawl has just started, or they have just come back. */
export function triedSystems(facts: Facts): Finding[] {
  const { waitingCases, away, pauses } = facts
  const isBusy = (system: string) =>
    !away.some((each) => each.system === system) && pauseOver(pauses, system) === undefined
  return waitingCases
    .filter(({ system, count }) => count > 0 && isBusy(system))
    .map(({ system }) => triedSystem({ system }, facts))
}

/** Whether the whole system is away, which makes the refusal of a kind of request no news. */
function isPartOfOutage(away: readonly Away[], { system, request }: Away): boolean {
  return request !== undefined && away.some((each) => each.system === system && each.request === undefined)
}

function triedSystem(away: Away, facts: Facts): Finding {
  return faultOf('trying', { ...namesOfSystem(away.system), ...waitingFor(away, facts) })
}

function waitingFor({ system, leftAloneMs }: Away, facts: Facts) {
  return {
    waiting: sayWaiting(casesWaitingFor(system, facts.waitingCases), ', nothing lost'),
    again: leftAloneMs === undefined ? undefined : `pawl tries it again in ${duration(leftAloneMs)}.`,
  }
}

/** The fault of a system that is away, or that refuses a kind of request; `known`: more placeholders. */
export function faultOfAway(
  away: Away,
  alerts: readonly AlertRecord[],
  known: Record<string, string | undefined> = {},
) {
  const { system, request, error } = away
  // If another process found the outage, only the alert has the answer.
  const answer =
    error === undefined
      ? (alertOfAbsence(away, alerts) ?? {})
      : { errorCode: reasonOf(error), httpStatus: error.httpStatus }
  return absence(system, answer, request, known)
}

function absentSystem(away: Away, facts: Facts): Finding {
  const { system, forMs, error } = away
  const alert = alertOfAbsence(away, facts.alerts)
  const fault = faultOfAway(away, facts.alerts, {
    ...waitingFor(away, facts),
    cause: error?.reason,
    credential: facts.credentials?.[system],
  })
  return {
    ...fault,
    since: earliest([
      ...(forMs === undefined ? [] : [Math.round(facts.now - forMs)]),
      // The alert knows the beginning if this process started later, or another one found the outage.
      ...(alert === undefined ? [] : [alert.beganAt]),
    ]),
    ...(['request_refused', 'right_refused'].includes(fault.code) && { deeds: [{ do: 'probe', system }] }),
  }
}
