import { basename, dirname } from 'node:path'
import type { ShownAlert } from '../alerts/alerts.ts'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Finding } from '../contract/status-verdict.ts'
import { countFailed } from '../pages/words.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts } from './facts.ts'
import { type Gap, isAskedFor, unheardCases } from './missed-cases.ts'
import { askService, inSettings, restart } from './phrases.ts'

/** Deliveries that are not stored: those turned away for the disk first, then the others. */
export function deliveryFindings(facts: Facts): { turnedAway: Finding[]; others: Finding[] } {
  const { disk, alerts } = facts
  const missed = missedTimes(facts)
  const unasked = missed.filter((gap) => !isAskedFor(gap, facts))
  return {
    turnedAway: disk?.state === 'full' ? [fullDisk(disk, alerts)] : [],
    others: [
      ...alerts.filter((alert) => alert.kind === 'turned_away' && !isOfDisk(alert)).map((alert) => turnedAway(alert)),
      ...unasked.map((gap) => (isOfDisk(gap.alert) ? roomAgain(gap, facts) : refusedDeliveries(gap, facts))),
      ...unheardCases(missed, facts),
    ],
  }
}

/** A time in which deliveries were not taken, and the newest alert of them. */
interface MissedTime extends Gap {
  alert: ShownAlert
}

/** From the first delivery to the last that was refused, or turned away for a disk that has room again, as alerts tell that are open or were within a day: one time for each reason. */
function missedTimes(facts: Facts): MissedTime[] {
  const told = [...facts.alerts, ...(facts.pastAlerts ?? [])].filter(
    (alert) => alert.kind === 'refused' || (isOfDisk(alert) && facts.disk?.state !== 'full'),
  )
  return [...groupBy(told, ({ kind, subject }) => `${kind} ${subject}`).values()].flatMap(([alert, ...others]) => {
    if (alert === undefined) return []
    const all = [alert, ...others].map((each) => timeOf(each, facts))
    const from = Math.min(...all.map((each) => each.from))
    const to = Math.max(...all.map((each) => each.to))
    return [{ from, to, alert, ...(isOfDisk(alert) ? ofDisk : ofSecret) }]
  })
}

const ofDisk = { why: 'the disk was full', runbook: runbookSections.disk }
const ofSecret = { why: 'deliveries were refused', runbook: runbookSections.secret }

/** From the first to the last; an alert opens some deliveries later, and is over when none came for a while. */
function timeOf(alert: ShownAlert, { firstRefusedAt = Infinity, lastRefusedAt }: Facts): Pick<Gap, 'from' | 'to'> {
  const { beganAt, changedAt, closedAt } = alert
  if (isOfDisk(alert)) return { from: beganAt, to: closedAt === undefined ? changedAt : closedAt - turnedAwayForMs }
  if (closedAt !== undefined) return { from: beganAt, to: closedAt - refusedForMs }
  return { from: Math.min(beganAt, firstRefusedAt), to: lastRefusedAt ?? changedAt }
}

const turnedAwayForMs = 120_000
const refusedForMs = 3_600_000

export function lowDisk({ disk }: Facts): Finding[] {
  if (disk?.state === 'low') return [{ tone: 'warn', what: 'The disk is nearly full', ...makeRoom(disk) }]
  if (disk?.state !== 'enough' || disk.isLogLarge !== true) return []
  const { warning: note } = disk
  const what = "A long read keeps the ledger's log from being emptied"
  return [{ tone: 'warn', what, todo: "End what reads the ledger's file.", ...(note !== undefined && { note }) }]
}

/** After so long without a refusal, a delivery that was stored shows that the service's are taken again; forged ones come more often. */
const calmAfterMs = 20_000

/** Refusals are counted for an hour: once pawl takes deliveries again, what is left to do is to catch up. */
function refusedDeliveries(
  { from, to, alert: { subject, count, advice, closedAt } }: MissedTime,
  { newest, lastRefusedAt, runningMs = Infinity, now }: Facts,
): Finding {
  const isOver =
    closedAt !== undefined || (lastRefusedAt !== undefined && now - to > calmAfterMs && (newest?.receivedAt ?? 0) > to)
  if (isOver)
    return {
      tone: 'warn',
      what: 'Deliveries are accepted again',
      effect: `${countFailed(count)} were refused within an hour (${subject}).`,
      todo: 'Ask for them.',
      runbook: runbookSections.secret,
      ...askService(from, now),
    }
  if (lastRefusedAt !== undefined && now - lastRefusedAt > runningMs)
    return {
      tone: 'wait',
      what: 'No delivery was refused since this start',
      todo: 'Ask for those before.',
      note: `They were refused as ${subject}. The next delivery shows whether they are taken now.`,
      runbook: runbookSections.secret,
      ...askService(from, now),
    }
  return {
    tone: 'bad',
    what: 'Deliveries have been refused',
    since: from,
    why: subject,
    effect: `${countFailed(count)} so far.`,
    ...(subject === 'token_invalid'
      ? {
          todo: "Get the service's new WEBHOOK_SECRETS, then:",
          note: `${advice} If its people changed none, it may be an attack: change nothing. ${inSettings} Afterwards a button here asks for what was refused.`,
          command: restart,
        }
      : { todo: 'Find out why.', note: advice, command: 'pawl status' }),
    runbook: runbookSections.secret,
    page: `/rejections?reason=${subject}`,
    act: 'See the rejections',
    isOptional: true,
  }
}

/** Whether an alert tells of deliveries that were turned away for a full disk. */
export function isOfDisk({ kind, subject }: ShownAlert): boolean {
  return kind === 'turned_away' && subject === 'disk_full'
}

function turnedAway({ title, beganAt, advice, command }: ShownAlert): Finding {
  return { tone: 'bad', what: title, since: beganAt, note: advice, ...(command !== undefined && { command }) }
}

function roomAgain({ from }: MissedTime, { now }: Facts): Finding {
  return {
    tone: 'warn',
    what: 'The disk has room again',
    effect: 'Deliveries were turned away before.',
    todo: 'Ask for them.',
    note: 'The service gives up sending after a while.',
    runbook: runbookSections.disk,
    ...askService(from, now),
  }
}

function fullDisk(disk: Disk, alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find((each) => isOfDisk(each))
  return {
    tone: 'bad',
    what: 'Deliveries have been turned away',
    ...(alert && { since: alert.beganAt }),
    why: 'disk full',
    effect: 'Some may be missed.',
    ...makeRoom(disk),
  }
}

type Disk = NonNullable<Facts['disk']>

function makeRoom({ warning, path }: Disk) {
  const [folder, file] =
    path === undefined ? ["the ledger's folder", 'its files'] : [dirname(path), `${basename(path)}*`]
  return {
    todo: `Make room in ${folder}, sparing ${file}.`,
    ...(warning !== undefined && { note: warning }),
    runbook: runbookSections.disk,
    command: path === undefined ? 'df -h' : `df -h ${folder}`,
  }
}
