import type { ShownAlert } from '../alerts/alerts.ts'
import { errorStatus } from '../alerts/error-status.ts'
import { parkedLevel } from '../alerts/find-failed-work.ts'
import { duration } from '../base/pages/words.tsx'
import { heldAtStart, type Hold, workOf } from '../ledger/hot/holds.ts'
import type { Away } from '../ledger/hot/outages.ts'
import type { Counts } from '../ledger/views/counts.ts'
import type { NewestDelivery } from '../ledger/views/newest-delivery.ts'
import { groupBy } from '../ledger/hot/group-by.ts'
import { hasKey } from '../ledger/hot/work-filter.ts'
import type { WaitingCases, WorkGroup } from '../ledger/views/work-groups.ts'
import type { QueueOutage } from '../queue/outage-note.ts'
import { type Cause, causesOf, filterOfCause, isAbout, systemName } from './causes.ts'
import type { Finding, Verdict } from './contract/status-verdict.ts'
import { queryOf } from '../base/pages/query.ts'
import { totalOf } from './failure-filter.ts'
import { addressOfHold, nameOfHold } from './hold-names.ts'
import { allWork, isHeld } from './holding.ts'
import { askedSince } from './pages/ask.tsx'
import { countFailed } from './pages/words.ts'
import { runbookSections } from './runbook-sections.ts'

/** The facts that alerts, `pawl status` and the overview show. */
export interface Facts {
  counts: Pick<Counts, 'due' | 'waiting' | 'oldestDueMs'>
  away: readonly Away[]
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
  /** When the newest delivery was refused for its token; read only while an alert tells of refusals. */
  lastRefusedAt?: number | undefined
  /** When all was last asked for again, and since when; read likewise. */
  reconciled?: { at: number; since: number } | undefined
  now: number
}

/** Judges how pawl stands. One function for the overview, `pawl status` and the JSON API. */
export function judge(facts: Facts): Verdict {
  const { counts, away, holds, groups, alerts, disk, queueOutage, audit, now } = facts
  const isAllHeld = isHeld(holds, allWork)
  const alertsOf = (...kinds: ShownAlert['kind'][]) =>
    alerts.filter(({ kind }) => kinds.includes(kind)).map((alert) => fromAlert(alert))
  const [first, ...others]: Finding[] = [
    ...(disk?.state === 'full' ? [fullDisk(disk.warning, alerts)] : []),
    ...(audit === 'altered' ? [alteredTrail(alerts)] : []),
    ...alerts
      .filter((alert) => alert.kind === 'turned_away' && !(isOfDisk(alert) && disk?.state === 'full'))
      .filter((alert) => !(isOfDisk(alert) && isCaughtUp(alert, alert.changedAt, facts)))
      .map((alert) => (isOfDisk(alert) && disk !== undefined ? roomAgain(alert, facts) : fromAlert(alert))),
    ...alerts
      .filter((alert) => alert.kind === 'refused' && !isCaughtUp(alert, facts.lastRefusedAt, facts))
      .map((alert) => refusedDeliveries(alert, facts)),
    // A system that is paused is not asked, so that its absence says nothing new.
    ...away
      .filter((each) => !isHeld(holds, { kind: 'system', name: each.system }) && !isWhollyAway(away, each))
      .map((each) => awaySystem(each, facts)),
    ...joinBugs(causesOf(groups.filter(({ state }) => state === 'parked'))).map(parkedWork),
    ...holds.filter(({ kind }) => kind === 'all').map((hold) => pausedWork(hold, facts)),
    ...(isAllHeld || counts.oldestDueMs < quietAfterMs ? [] : alerts.filter(({ kind }) => kind === 'oldest_due')).map(
      (alert) => dueWork(alert, facts),
    ),
    ...alerts.filter((alert) => isFailing(alert, groups)).map((alert) => fromAlert(alert)),
    ...holds.filter(({ kind }) => kind !== 'all').map((hold) => pausedWork(hold, facts)),
    ...(queueOutage === undefined ? [] : [silentQueue(queueOutage, now)]),
    ...(disk?.state === 'low'
      ? [{ tone: 'warn' as const, what: 'The disk is nearly full', ...makeRoom(disk.warning) }]
      : []),
    ...alertsOf('retention', 'backup', 'target', 'budget'),
  ]
  return first === undefined ? [allWell(facts)] : [first, ...others]
}

const inCases = (count: number) => (count === 1 ? '1 case' : `${countFailed(count)} cases`)
/** Several handlers may have parked the same case. */
const inPieces = (count: number) => (count === 1 ? '1 piece of work' : `${countFailed(count)} pieces of work`)

function sayWaiting(count: number): string {
  return count === 0
    ? 'Nothing waits for it yet.'
    : `${inCases(count)} ${count === 1 ? 'waits' : 'wait'}, nothing is lost.`
}

/** Whether it refuses a kind of request while all of its system is away, which is told already. */
function isWhollyAway(away: readonly Away[], { system, request }: Away): boolean {
  return request !== undefined && away.some((each) => each.system === system && each.request === undefined)
}

function awaySystem({ system, request, forMs, error }: Away, { waitingCases, alerts, now }: Facts): Finding {
  const status = error && errorStatus(error.message)
  const isRefusing = request !== undefined || status === '401' || status === '403'
  const waiting = waitingCases.find((each) => each.system === system)?.count ?? 0
  return {
    tone: isRefusing ? 'bad' : 'wait',
    what: `${systemName(system)} has ${request !== undefined ? `refused ${request}` : isRefusing ? 'refused pawl' : 'been away'}`,
    since: earliest([
      ...(forMs === undefined ? [] : [Math.round(now - forMs)]),
      // A process that was started meanwhile, or that heard of it from another, does not know; the alert does.
      ...alerts
        .filter((each) => each.kind === alertOfAway(request) && each.subject === system)
        .map((each) => each.beganAt),
    ]),
    why: status === undefined ? error?.code : `HTTP ${status}`,
    effect: sayWaiting(waiting),
    ...(request === undefined
      ? {
          todo: isRefusing ? renewal(system, status) : fault(status),
          ...(isRefusing ? status === '403' && { asks: system } : pausing({ kind: 'system', name: system }, false)),
          command: status === '403' ? `pawl probe ${system}` : system === 'api' ? 'pawl doctor' : 'pawl check',
        }
      : {
          todo: `${status === '404' ? 'Does it take such requests?' : 'Its people have to give pawl that right; then try it.'} Other work goes on.`,
          asks: system,
          // A pause would hold up other work, too.
          page: `/parked${queryOf({ state: 'waiting', system })}`,
          act: 'See what waits',
          command: `pawl probe ${system}`,
        }),
    runbook: isRefusing ? refusalSection(system) : runbookSections.chart,
    isOptional: true,
  }
}

function alertOfAway(request: string | undefined): ShownAlert['kind'] {
  return request === undefined ? 'away' : 'refuses'
}

/** Whose fault an outage is, as far as the answer tells, if one came. */
function fault(status: string | undefined): string {
  return status === undefined
    ? 'pawl goes on by itself once it answers. Is it down, or the way to it?'
    : 'It answers, but with an error: tell its people. pawl goes on by itself once that is over.'
}

function refusalSection(system: string): string {
  return system === 'api' ? runbookSections.token : runbookSections.refusal
}

/** Only a right that was given takes effect without a restart. */
function renewal(system: string, status: string | undefined): string {
  if (status === '403') return 'Its people have to give pawl the right; then try it.'
  return system === 'api'
    ? 'Get a new token from the service, set API_TOKEN to it and restart pawl.'
    : 'Get a new token or password from its people, put it into the settings and restart pawl.'
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
    todo:
      kind === 'all'
        ? reason === heldAtStart
          ? 'Resume a few resources, look, then all, and reconcile; then take HOLD out of the settings.'
          : 'Once the reason is gone, resume: a few resources first, then all.'
        : 'Resume it once the reason is gone.',
    ...(reason === heldAtStart && { runbook: runbookSections.backup }),
    ...pausing(hold, true),
    command: kind === 'all' ? 'pawl resume --all' : `pawl resume ${name} --kind ${kind}`,
  }
}

function waitingFor(hold: Hold, { groups, waitingCases, counts }: Facts): number {
  if (hold.kind === 'all') return counts.waiting
  if (hold.kind === 'handler') return totalOf(groups.filter((group) => hasKey(workOf(hold), group)))
  return waitingCases.find(({ system }) => system === hold.name)?.count ?? 0
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Codes that name no cause to people who do not know them. */
const parkedAdvice: Readonly<Record<string, { means: string; todo: string }>> = {
  unexpected: {
    means: "probably a handler's bug",
    todo: 'Deploy a fixed handler, or the release before, then retry: parked work is not tried again by itself.',
  },
  not_found_yet: {
    means: 'it does not know them',
    todo: 'Retry if the service knows them by now; discard them if it never will.',
  },
}

/** One cause for the handlers that fail at the same place. */
function joinBugs(causes: readonly Cause[]): Cause[] {
  const keyed = groupBy(causes, ({ system, errorCode, title, groups }) =>
    system === '' ? [errorCode, ...new Set(groups.map(({ message }) => message))].join('\n') : title,
  )
  return [...keyed.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined || own.length === 1) return own
    const title = `${own.length} handlers: ${first.errorCode}`
    return [{ ...first, title, handler: undefined, groups: own.flatMap(({ groups }) => groups) }]
  })
}

function parkedWork(cause: Cause): Finding {
  const { title, system, handler, errorCode, groups } = cause
  const total = totalOf(groups)
  const known = parkedAdvice[errorCode]
  const named = system !== '' || handler === undefined ? '' : `--handler ${handler} `
  return {
    tone: 'bad',
    what: `${groups.length === 1 ? inCases(total) : inPieces(total)} ${total === 1 ? 'has' : 'have'} been parked`,
    since: earliest(groups.flatMap(({ oldestAt }) => oldestAt ?? [])),
    why: known === undefined ? title : `${title}, ${known.means}`,
    effect: `${sayMessage(cause)}${total === 1 ? 'It waits' : 'They wait'} for you, nothing is lost.`,
    todo: known?.todo ?? 'Fix the cause, then retry: parked work is not tried again by itself.',
    runbook: runbookSections.parked,
    page: `/parked${queryOf(filterOfCause(cause))}`,
    act: 'See and retry',
    command: `pawl retry ${named}--error ${errorCode}`,
  }
}

/** What the system said, where the title has only a code and all of it failed alike; messages never hold patient data. */
function sayMessage({ title, errorCode, groups }: Cause): string {
  const [message = '', ...others] = new Set(groups.map((group) => group.message))
  if (others.length > 0 || message.length > maxMessage || !title.endsWith(errorCode) || errorCode in parkedAdvice)
    return ''
  return message === '' ? '' : `${message.replace(/\.?$/, '.')} `
}

/** Longer ones are left to the page of the work. */
const maxMessage = 100

/** Work that has used up half of its attempts or more, and still fails; parked work is told from its groups. */
function isFailing(alert: ShownAlert, groups: readonly WorkGroup[]): boolean {
  const isOpen = alert.kind.startsWith('work') && alert.level < parkedLevel
  return isOpen && causesOf(groups).some((cause) => isAbout(alert, cause))
}

const tones: Partial<Record<ShownAlert['kind'], Finding['tone']>> = {
  turned_away: 'bad',
  target: 'bad',
}

/** Titles that say a duration or an age themselves. */
const isDated: readonly ShownAlert['kind'][] = ['backup', 'retention']

function fromAlert({ kind, title, advice, command, page, beganAt }: ShownAlert): Finding {
  return {
    tone: tones[kind] ?? 'warn',
    // A handler's name stays as it is.
    what: kind.startsWith('work') ? title : title.charAt(0).toUpperCase() + title.slice(1),
    ...(!isDated.includes(kind) && { since: beganAt }),
    todo: advice,
    ...(kind.startsWith('work') && { runbook: runbookSections.parked }),
    // The overview itself is no way on.
    ...(page !== '/' && { page, act: kind.startsWith('work') ? 'See and retry' : 'See the alert' }),
    ...(command !== undefined && { command }),
  }
}

/** Asks for all since a moment, on the page and by the command alike; with some room, as people take their time. */
function askService(since: number, now: number) {
  const reach = Object.entries(askedSince).find(([, ms]) => now - since < 0.8 * ms)?.[0] ?? '7 d'
  return {
    page: `/ask${queryOf({ since: reach })}`,
    act: 'Ask the service',
    command: `pawl reconcile --since ${reach.replace(' ', '')}`,
  }
}

/** Whether all that changed since the first delivery that was not taken was asked for after the last one, so that nothing is left to do. */
function isCaughtUp({ beganAt }: ShownAlert, lastAt: number | undefined, { reconciled }: Facts): boolean {
  if (lastAt === undefined || reconciled === undefined) return false
  return reconciled.at > lastAt && reconciled.since <= beganAt
}

/** Refusals are counted for an hour: once pawl takes deliveries again, what is left to do is to catch up. */
function refusedDeliveries(
  { subject, count, beganAt, advice }: ShownAlert,
  { newest, lastRefusedAt, now }: Facts,
): Finding {
  const isOver =
    lastRefusedAt !== undefined && now - lastRefusedAt > quietAfterMs && (newest?.receivedAt ?? 0) > lastRefusedAt
  return {
    tone: isOver ? 'warn' : 'bad',
    what: isOver ? 'Deliveries are accepted again' : 'Deliveries have been refused',
    ...(isOver ? {} : { since: beganAt, why: subject }),
    effect: isOver
      ? `${countFailed(count)} were refused within an hour (${subject}).`
      : `${countFailed(count)} within an hour are not stored; the service has them.`,
    todo: isOver ? 'Reconcile, so that pawl asks for what it missed.' : advice,
    runbook: runbookSections.secret,
    ...(isOver
      ? askService(beganAt, now)
      : { page: `/rejections?reason=${subject}`, act: 'See the rejections', isOptional: true, command: 'pawl status' }),
  }
}

/** An alert stays open for a while after its fault: from here on the facts of this moment count. */
const quietAfterMs = 60_000

function dueWork({ advice, command }: ShownAlert, { counts, now }: Facts): Finding {
  return {
    tone: 'bad',
    what: 'Work has been due and not begun',
    since: Math.round(now - counts.oldestDueMs),
    effect: `${inCases(counts.due)} ${counts.due === 1 ? 'is' : 'are'} due, nothing is lost.`,
    todo: advice,
    runbook: runbookSections.worker,
    ...(command !== undefined && { command }),
  }
}

function isOfDisk({ kind, subject }: ShownAlert): boolean {
  return kind === 'turned_away' && subject === 'disk_full'
}

function roomAgain({ count, beganAt }: ShownAlert, { now }: Facts): Finding {
  return {
    tone: 'warn',
    what: 'The disk has room again',
    effect: `${countFailed(count)} ${count === 1 ? 'delivery was' : 'deliveries were'} turned away before.`,
    todo: 'Reconcile, so that pawl asks for those that the service gave up sending.',
    runbook: runbookSections.disk,
    ...askService(beganAt, now),
  }
}

function fullDisk(warning: string | undefined, alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find((each) => isOfDisk(each))
  return {
    tone: 'bad',
    what: 'Deliveries have been turned away',
    ...(alert && { since: alert.beganAt }),
    why: 'the disk is nearly full',
    effect: 'The service sends them again.',
    ...makeRoom(warning),
  }
}

function makeRoom(warning: string | undefined) {
  return { ...(warning !== undefined && { todo: warning }), runbook: runbookSections.disk, command: 'df -h' }
}

function alteredTrail(alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find(({ kind }) => kind === 'audit')
  return {
    tone: 'bad',
    what: 'The audit trail has been broken',
    ...(alert && { since: alert.beganAt }),
    why: 'rows were changed, cut off or restored',
    effect: 'All work goes on.',
    todo: 'Find out which rows, and who can write to the ledger; then acknowledge it with a reason.',
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
