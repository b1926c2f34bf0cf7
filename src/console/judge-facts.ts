import type { ShownAlert } from '../alerts/alerts.ts'
import { errorStatus } from '../alerts/error-status.ts'
import { parkedLevel } from '../alerts/find-failed-work.ts'
import { duration } from '../base/pages/words.tsx'
import { type Hold, workOf } from '../ledger/hot/holds.ts'
import type { Counts } from '../ledger/views/counts.ts'
import type { NewestDelivery } from '../ledger/views/newest-delivery.ts'
import type { WaitingCases } from '../ledger/views/waiting-cases.ts'
import { hasKey } from '../ledger/views/work-filter.ts'
import type { WorkGroup } from '../ledger/views/work-groups.ts'
import type { QueueOutage } from '../queue/outage-note.ts'
import { type Cause, causesOf, filterOfCause, systemName } from './causes.ts'
import type { Finding, Verdict } from './contract/status-verdict.ts'
import { queryOf, totalOf } from './failure-filter.ts'
import { addressOfHold, nameOfHold } from './hold-names.ts'
import type { AwaySystem } from './away-system.ts'
import { countFailed } from './pages/words.ts'
import { runbookSections } from './runbook-sections.ts'

/** The facts that alerts, `pawl status` and the overview show. */
export interface Facts {
  counts: Pick<Counts, 'waiting'>
  away: readonly AwaySystem[]
  holds: readonly Hold[]
  /** Failed work, by group. */
  groups: readonly WorkGroup[]
  waitingCases: readonly WaitingCases[]
  alerts: readonly ShownAlert[]
  /** The state of the ledger's disk, and its description if there is little room. */
  disk: { state: string; warning: string | undefined } | undefined
  queueOutage: QueueOutage | undefined
  audit: 'whole' | 'altered'
  newest: NewestDelivery | undefined
  now: number
}

/** Judges how pawl stands. One function for the overview, `pawl status` and the JSON API. */
export function judge(facts: Facts): Verdict {
  const { away, holds, groups, alerts, disk, queueOutage, audit, now } = facts
  const isAllHeld = holds.some(({ kind }) => kind === 'all')
  const alertsOf = (...kinds: ShownAlert['kind'][]) =>
    alerts.filter(({ kind }) => kinds.includes(kind)).map((alert) => fromAlert(alert))
  const [first, ...others]: Finding[] = [
    ...(disk?.state === 'full' ? [fullDisk(disk.warning)] : []),
    ...(audit === 'altered' ? [alteredTrail] : []),
    ...alertsOf('turned_away').filter(() => disk?.state !== 'full'),
    ...alertsOf('refused'),
    // A system that is paused is not asked, so that its absence says nothing new.
    ...away.filter(({ system }) => !isHeld(holds, system)).map((each) => awaySystem(each, facts)),
    ...causesOf(groups.filter(({ state }) => state === 'parked')).map(parkedWork),
    ...holds.filter(({ kind }) => kind === 'all').map((hold) => pausedWork(hold, facts)),
    ...(isAllHeld ? [] : alertsOf('oldest_due')),
    ...alerts.filter((alert) => isFailing(alert)).map((alert) => fromAlert(alert)),
    ...holds.filter(({ kind }) => kind !== 'all').map((hold) => pausedWork(hold, facts)),
    ...(queueOutage === undefined ? [] : [silentQueue(queueOutage, now)]),
    ...(disk?.state === 'low'
      ? [{ ...fullDisk(disk.warning), tone: 'warn' as const, what: 'The disk is nearly full' }]
      : []),
    ...alertsOf('retention', 'backup', 'target', 'budget'),
  ]
  return first === undefined ? [allWell(facts)] : [first, ...others]
}

function isHeld(holds: readonly Hold[], system: string): boolean {
  return holds.some(({ kind, name }) => kind === 'system' && name === system)
}

const inCases = (count: number) => (count === 1 ? '1 case' : `${countFailed(count)} cases`)
/** Several handlers may have parked the same case. */
const inPieces = (count: number) => (count === 1 ? '1 piece of work' : `${countFailed(count)} pieces of work`)

function sayWaiting(count: number): string {
  return count === 0
    ? 'Nothing waits for it yet.'
    : `${inCases(count)} ${count === 1 ? 'waits' : 'wait'}, nothing is lost.`
}

function awaySystem({ system, forMs, error }: AwaySystem, { waitingCases, now }: Facts): Finding {
  const status = error && errorStatus(error.message)
  const isRefusing = status === '401' || status === '403'
  const waiting = waitingCases.find((each) => each.system === system)?.count ?? 0
  return {
    tone: isRefusing ? 'bad' : 'wait',
    what: `${systemName(system)} has ${isRefusing ? 'refused pawl' : 'been away'}`,
    since: forMs === undefined ? undefined : Math.round(now - forMs),
    why: status === undefined ? error?.code : `HTTP ${status}`,
    effect: sayWaiting(waiting),
    todo: isRefusing
      ? "Renew pawl's token or password there, and check its rights."
      : 'pawl goes on by itself once it answers. Is it the system, or the way to it?',
    runbook: system === 'api' && isRefusing ? runbookSections.token : runbookSections.chart,
    ...pausing({ kind: 'system', name: system }, false),
    command: system === 'api' ? 'pawl doctor' : 'pawl check',
  }
}

function pausing(target: Pick<Hold, 'kind' | 'name'>, isPaused: boolean) {
  return { page: addressOfHold(target), act: `${isPaused ? 'Resume' : 'Pause'} ${nameOfHold(target)}` }
}

function pausedWork(hold: Hold, facts: Facts): Finding {
  const { kind, name, since, reason } = hold
  const waiting = waitingFor(hold, facts)
  const what = kind === 'all' ? 'All work' : kind === 'system' ? systemName(name) : `The handler ${name}`
  return {
    tone: 'wait',
    what: `${what} has been paused`,
    since,
    ...(reason !== undefined && { why: reason }),
    effect: sayWaiting(waiting),
    todo: 'Resume it once the reason is gone.',
    ...pausing(hold, true),
    command: kind === 'all' ? 'pawl resume --all' : `pawl resume ${name} --kind ${kind}`,
  }
}

function waitingFor(hold: Hold, { groups, waitingCases, counts }: Facts): number {
  if (hold.kind === 'all') return counts.waiting
  if (hold.kind === 'handler') return totalOf(groups.filter((group) => hasKey(workOf(hold), group)))
  return waitingCases.find(({ system }) => system === hold.name)?.count ?? 0
}

function parkedWork(cause: Cause): Finding {
  const { title, system, handler, errorCode, groups } = cause
  const total = totalOf(groups)
  const named = system !== '' || handler === undefined ? '' : `--handler ${handler} `
  return {
    tone: 'bad',
    what: `${groups.length === 1 ? inCases(total) : inPieces(total)} ${total === 1 ? 'is' : 'are'} parked. ${title}`,
    effect: `${total === 1 ? 'It waits' : 'They wait'} for you, nothing is lost.`,
    todo: 'Fix the cause, then retry: parked work is not tried again by itself.',
    runbook: runbookSections.parked,
    page: `/parked${queryOf(filterOfCause(cause))}`,
    act: 'See and retry',
    command: `pawl retry ${named}--error ${errorCode}`,
  }
}

/** Work that has used up half of its attempts or more; parked work is told from its groups. */
function isFailing({ kind, level }: ShownAlert): boolean {
  return kind.startsWith('work') && level < parkedLevel
}

const tones: Partial<Record<ShownAlert['kind'], Finding['tone']>> = {
  refused: 'bad',
  turned_away: 'bad',
  oldest_due: 'bad',
  target: 'bad',
}

function fromAlert({ kind, subject, title, advice, command, page, beganAt }: ShownAlert): Finding {
  return {
    tone: tones[kind] ?? 'warn',
    // A handler's name stays as it is.
    what: kind.startsWith('work') ? title : title.charAt(0).toUpperCase() + title.slice(1),
    since: beganAt,
    todo: advice,
    ...(kind === 'refused' && subject.startsWith('token_') && { runbook: runbookSections.secret }),
    ...(kind === 'turned_away' && subject === 'disk_full' && { runbook: runbookSections.disk }),
    ...(kind.startsWith('work') && { runbook: runbookSections.parked }),
    page,
    act: 'See it',
    ...(command !== undefined && { command }),
  }
}

function fullDisk(warning: string | undefined): Finding {
  return {
    tone: 'bad',
    what: 'Deliveries are turned away: the disk is full',
    effect: 'The service sends them again.',
    ...(warning !== undefined && { todo: warning }),
    runbook: runbookSections.disk,
    command: 'df -h',
  }
}

const alteredTrail: Finding = {
  tone: 'bad',
  what: 'The audit trail was altered',
  todo: 'Find out which rows, and who can write to the ledger.',
  page: '/audit',
  act: 'Verify the trail',
  command: 'pawl audit verify',
}

function silentQueue({ forMs, code }: QueueOutage, now: number): Finding {
  return {
    tone: 'warn',
    what: "The queue's server has not answered",
    since: Math.round(now - forMs),
    why: code,
    effect: 'Work is found later than usual, nothing is lost.',
    todo: 'Start that server again.',
    command: 'pawl doctor',
  }
}

function allWell({ newest, now }: Facts): Finding {
  if (newest === undefined) return { tone: 'good', what: 'All is well', effect: 'No webhook has come lately.' }
  const { receivedAt, syncedAt } = newest
  const came = `The newest delivery came ${duration(Math.max(0, now - receivedAt))} ago`
  const effect =
    syncedAt === undefined
      ? 'and is on its way'
      : `and was in step after ${duration(Math.max(0, syncedAt - receivedAt))}`
  return { tone: 'good', what: 'All is well', effect: `${came} ${effect}.` }
}
