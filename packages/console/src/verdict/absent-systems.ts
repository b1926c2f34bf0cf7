import type { ShownAlert } from '../alerts/alerts.ts'
import { errorStatus } from '../alerts/error-status.ts'
import { duration } from '@pawl/base/pages/words'
import { queryOf } from '@pawl/base/pages/query'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Away } from '@pawl/ledger/hot/outages'
import { systemName } from '../causes.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { pauseOver, isPaused } from '../pausing.ts'
import { nameOfTarget } from '../pause-names.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts } from './facts.ts'
import { pausing } from './pauses.ts'
import { casesWaitingFor, earliest, inSettings, restart, sayWaiting } from './phrases.ts'

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
    [system, request !== undefined, error && errorStatus(error.message)].join(' '),
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

function triedSystem({ system, leftAloneMs }: Away, facts: Facts): Finding {
  return {
    tone: 'wait',
    what: `pawl is trying ${nameOfTarget({ kind: 'system', name: system })} again`,
    effect: sayWaiting(casesWaitingFor(system, facts)),
    ...(leftAloneMs !== undefined && { note: askedAgain(leftAloneMs) }),
    page: `/parked${queryOf({ state: 'waiting', system })}`,
    act: 'See what waits',
    isOptional: true,
  }
}

function askedAgain(leftAloneMs: number): string {
  return `It is asked again in ${duration(leftAloneMs)}.`
}

/** Whether it refuses a kind of request while all of its system is away, which is told already. */
function isWhollyAway(away: readonly Away[], { system, request }: Away): boolean {
  return request !== undefined && away.some((each) => each.system === system && each.request === undefined)
}

function absentSystem(away: Away, facts: Facts): Finding {
  const { system, forMs, error, leftAloneMs } = away
  const alert = alertOf(away, facts.alerts)
  // Of what another process found, only the alert tells the answer.
  const [code, status] =
    error === undefined ? (alert?.detail?.split(' ') ?? []) : [error.code, errorStatus(error.message)]
  const { note, ...remedy } = remedyOf(away, status, facts)
  return {
    since: earliest([
      ...(forMs === undefined ? [] : [Math.round(facts.now - forMs)]),
      // A process that was started meanwhile, or that heard of it from another, does not know; the alert does.
      ...(alert === undefined ? [] : [alert.beganAt]),
    ]),
    why: status === undefined ? code : `HTTP ${status}`,
    effect: sayWaiting(casesWaitingFor(system, facts)),
    ...remedy,
    note: [note, ...(leftAloneMs === undefined ? [] : [askedAgain(leftAloneMs)])].join(' '),
    isOptional: true,
  }
}

function alertOf({ system, request }: Away, alerts: Facts['alerts']): ShownAlert | undefined {
  const kind = request === undefined ? 'away' : 'refuses'
  return alerts.find((each) => each.kind === kind && each.subject === system)
}

/** What is wrong with a system, who mends it and how. */
function remedyOf(
  { system, request }: Away,
  status: string | undefined,
  { credentials }: Facts,
): Pick<Finding, 'tone' | 'what' | 'why' | 'todo' | 'note' | 'runbook' | 'page' | 'act' | 'deeds' | 'command'> {
  const name = systemName(system)
  if (request !== undefined)
    return {
      tone: 'bad',
      what: `${name} has refused ${request}`,
      todo: status === '404' ? 'Once it takes them:' : 'Once allowed:',
      why: undefined,
      note: `${status === undefined ? '' : `HTTP ${status}. `}${status === '404' ? 'Does it have such resources?' : 'Its people grant that right.'} Other work goes on.`,
      runbook: runbookSections.refusedRequest,
      deeds: [{ do: 'probe', system }],
      // A pause would hold up other work, too.
      page: `/parked${queryOf({ state: 'waiting', system })}`,
      act: 'See what waits',
      command: `pawl probe ${system}`,
    }
  if (status === '401')
    return {
      tone: 'bad',
      what: `${name} has refused pawl's ${system === 'api' ? 'token' : 'login'}`,
      why: undefined,
      todo: `Renew ${credentials?.[system] ?? 'it'}, then:`,
      note: `HTTP 401: its people make a new one. Trying again does not help before. ${inSettings}`,
      runbook: system === 'api' ? runbookSections.token : runbookSections.refusedLogin,
      command: restart,
    }
  if (status === '403')
    return {
      tone: 'bad',
      what: `${name} has refused pawl`,
      todo: 'Once allowed:',
      note: 'Its people grant that right. No restart is needed.',
      runbook: system === 'api' ? runbookSections.token : runbookSections.refusedRight,
      deeds: [{ do: 'probe', system }],
      command: `pawl probe ${system}`,
    }
  return {
    tone: 'wait',
    what: `${name} has been away`,
    todo: status === undefined ? 'Down, or cut off?' : 'Tell its people.',
    note: `${status === undefined ? 'It may be down, or the way to it. ' : ''}Nothing else is to be done: once it is back, pawl goes on by itself, within half a minute.`,
    runbook: runbookSections.chart,
    ...pausing({ kind: 'system', name: system }, false),
    command: checkOf(system),
  }
}

/** The command that tries it; `pawl check` covers only the systems of the integration. */
function checkOf(system: string): string {
  return system === 'api' ? 'pawl doctor' : 'pawl check'
}
