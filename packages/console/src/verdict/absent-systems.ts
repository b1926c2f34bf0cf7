import { duration } from '@pawl/base/pages/words'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Away } from '@pawl/ledger/hot/outages'
import type { ShownAlert } from '../alerts/alerts.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { faultOf } from '../faults/fault.ts'
import { absence } from '../faults/fault-of-alert.ts'
import { namesOfSystem, sayWaiting } from '../faults/names.ts'
import { pauseOver, isPaused } from '../pausing.ts'
import type { Facts } from './facts.ts'
import { casesWaitingFor, earliest } from './moments.ts'

/** Systems that do not answer, and those that refuse pawl, or a kind of request. */
export function absentSystems(facts: Facts): Finding[] {
  const { away, pauses } = facts
  return (
    joinRequests(away)
      // A system that is paused is not asked, so that its absence says nothing new.
      .filter((each) => !isPaused(pauses, { kind: 'system', name: each.system }) && !isWhollyAway(away, each))
      .map((each) => (isHearsay(each, facts) ? triedSystem(each, facts) : absentSystem(each, facts)))
  )
}

/** One for all kinds of request that a system refuses alike: since the first of them. */
function joinRequests(away: readonly Away[]): Away[] {
  const alike = groupBy(away, ({ system, request, error }) =>
    [system, request !== undefined, error?.httpStatus].join(' '),
  )
  return [...alike.values()].flatMap((own) => {
    // The one that was found first.
    const [first] = own.toSorted((a, b) => (b.forMs ?? 0) - (a.forMs ?? 0))
    const requests = own.flatMap(({ request }) => request ?? [])
    if (first === undefined || requests.length < 2) return own
    return [{ ...first, request: requests.length === 2 ? requests.join(', ') : `${requests.length} kinds of request` }]
  })
}

/** Whether this process only heard that it was away, and has just been started, perhaps with what mends it, or no alert tells why: the outage has just begun elsewhere. */
function isHearsay(away: Away, { alerts, runningMs = Infinity }: Facts): boolean {
  return away.error === undefined && (runningMs < newMs || alertOf(away, alerts) === undefined)
}

/** Until then a process that was started has asked what it has work for. */
const newMs = 20_000

/** Systems that work still waits for though they are not away: pawl has just been started, or they have just come back. */
export function triedSystems(facts: Facts): Finding[] {
  const { waitingCases, away, pauses } = facts
  const isBusy = (system: string) =>
    !away.some((each) => each.system === system) && pauseOver(pauses, system) === undefined
  return waitingCases
    .filter(({ system, count }) => count > 0 && isBusy(system))
    .map(({ system }) => triedSystem({ system }, facts))
}

/** Whether it refuses a kind of request while all of its system is away, which is told already. */
function isWhollyAway(away: readonly Away[], { system, request }: Away): boolean {
  return request !== undefined && away.some((each) => each.system === system && each.request === undefined)
}

function triedSystem(away: Away, facts: Facts): Finding {
  return faultOf('trying', { ...namesOfSystem(away.system), ...waitingFor(away, facts) })
}

function waitingFor({ system, leftAloneMs }: Away, facts: Facts) {
  return {
    waiting: sayWaiting(casesWaitingFor(system, facts), ', nothing lost'),
    again: leftAloneMs === undefined ? undefined : `It is asked again in ${duration(leftAloneMs)}.`,
  }
}

function absentSystem(away: Away, facts: Facts): Finding {
  const { system, request, forMs, error } = away
  const alert = alertOf(away, facts.alerts)
  // Of what another process found, only the alert tells the answer.
  const answer = error === undefined ? (alert ?? {}) : { errorCode: error.code, httpStatus: error.httpStatus }
  const credential = facts.credentials?.[system]
  const fault = absence(system, answer, request, { ...waitingFor(away, facts), credential })
  return {
    ...fault,
    since: earliest([
      ...(forMs === undefined ? [] : [Math.round(facts.now - forMs)]),
      // A process that was started meanwhile, or that heard of it from another, does not know; the alert does.
      ...(alert === undefined ? [] : [alert.beganAt]),
    ]),
    ...(['request_refused', 'right_refused'].includes(fault.code) && { deeds: [{ do: 'probe', system }] }),
  }
}

function alertOf({ system, request }: Away, alerts: Facts['alerts']): ShownAlert | undefined {
  const kind = request === undefined ? 'away' : 'refuses'
  return alerts.find((each) => each.kind === kind && each.subject === system)
}
