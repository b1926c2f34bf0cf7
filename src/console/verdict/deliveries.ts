import type { ShownAlert } from '../../alerts/alerts.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { countFailed } from '../pages/words.ts'
import { runbookSections } from '../runbook-sections.ts'
import type { Facts } from './facts.ts'
import { type Gap, isAskedFor, unheardCases } from './missed-cases.ts'
import { askService } from './phrases.ts'

/** Deliveries that are not stored: those turned away for the disk first, then the others. */
export function deliveryFindings(facts: Facts): { turnedAway: Finding[]; others: Finding[] } {
  const { disk, alerts } = facts
  const isFull = disk?.state === 'full'
  const left = alerts.filter((alert) => {
    const gap = gapOf(alert, facts)
    if (gap !== undefined && isAskedFor(gap, facts)) return false
    return alert.kind === 'refused' || (alert.kind === 'turned_away' && !(isOfDisk(alert) && isFull))
  })
  return {
    turnedAway: isFull ? [fullDisk(disk, alerts)] : [],
    others: [
      ...left
        .filter(({ kind }) => kind === 'turned_away')
        .map((alert) => (isOfDisk(alert) && disk !== undefined ? roomAgain(alert, facts) : turnedAway(alert))),
      ...left.filter(({ kind }) => kind === 'refused').map((alert) => refusedDeliveries(alert, facts)),
      ...unheardCases(
        alerts.flatMap((alert) => gapOf(alert, facts) ?? []),
        facts,
      ),
    ],
  }
}

/** The time in which deliveries were not taken, of which alerts tell: from the first of them to the last. */
function gapOf(alert: ShownAlert, { lastRefusedAt, disk }: Facts): Gap | undefined {
  const { kind, beganAt: from, changedAt } = alert
  if (kind === 'refused' && lastRefusedAt !== undefined)
    return { from, to: lastRefusedAt, why: 'deliveries were refused', runbook: runbookSections.secret }
  if (isOfDisk(alert) && disk?.state !== 'full')
    return { from, to: changedAt, why: 'the disk was full', runbook: runbookSections.disk }
  return undefined
}

export function lowDisk({ disk }: Facts): Finding[] {
  return disk?.state === 'low' ? [{ tone: 'warn', what: 'The disk is nearly full', ...makeRoom(disk) }] : []
}

/** After so long without a refusal, a delivery that was stored shows that the service's are taken again; forged ones come more often. */
const calmAfterMs = 20_000

/** Refusals are counted for an hour: once pawl takes deliveries again, what is left to do is to catch up. */
function refusedDeliveries(
  { subject, count, beganAt, advice }: ShownAlert,
  { newest, lastRefusedAt, runningMs = Infinity, now }: Facts,
): Finding {
  const isOver =
    lastRefusedAt !== undefined && now - lastRefusedAt > calmAfterMs && (newest?.receivedAt ?? 0) > lastRefusedAt
  if (isOver)
    return {
      tone: 'warn',
      what: 'Deliveries are accepted again',
      effect: `${countFailed(count)} were refused within an hour (${subject}).`,
      todo: 'Ask for what was missed.',
      runbook: runbookSections.secret,
      ...askService(beganAt, now),
    }
  if (lastRefusedAt !== undefined && now - lastRefusedAt > runningMs)
    return {
      tone: 'wait',
      what: 'Deliveries were refused before this start',
      why: subject,
      effect: 'The next one shows whether they are taken.',
      runbook: runbookSections.secret,
    }
  return {
    tone: 'bad',
    what: 'Deliveries have been refused',
    since: beganAt,
    why: subject,
    effect: `${countFailed(count)} deliveries are to be asked for later.`,
    ...(subject === 'token_invalid'
      ? { todo: 'Was the secret changed?', note: `${advice} If nobody changed it, it may be an attack: ask first.` }
      : { todo: 'Find out why.', note: advice }),
    runbook: runbookSections.secret,
    page: `/rejections?reason=${subject}`,
    act: 'See the rejections',
    isOptional: true,
    command: 'pawl status',
  }
}

function isOfDisk({ kind, subject }: ShownAlert): boolean {
  return kind === 'turned_away' && subject === 'disk_full'
}

function turnedAway({ title, beganAt, advice, command }: ShownAlert): Finding {
  return { tone: 'bad', what: title, since: beganAt, note: advice, ...(command !== undefined && { command }) }
}

function roomAgain({ beganAt }: ShownAlert, { now }: Facts): Finding {
  return {
    tone: 'warn',
    what: 'The disk has room again',
    effect: 'Deliveries were turned away before.',
    todo: 'Ask for what was missed.',
    note: 'The service gives up sending after a while.',
    runbook: runbookSections.disk,
    ...askService(beganAt, now),
  }
}

function fullDisk(disk: Disk, alerts: readonly ShownAlert[]): Finding {
  const alert = alerts.find((each) => isOfDisk(each))
  return {
    tone: 'bad',
    what: 'Deliveries have been turned away',
    ...(alert && { since: alert.beganAt }),
    why: 'disk nearly full',
    effect: 'The service repeats them.',
    ...makeRoom(disk),
  }
}

type Disk = NonNullable<Facts['disk']>

function makeRoom({ warning, folder }: Disk) {
  return {
    todo: `Make room in ${folder ?? "the ledger's folder"}.`,
    ...(warning !== undefined && { note: warning }),
    runbook: runbookSections.disk,
    command: `df -h ${folder ?? ''}`.trim(),
  }
}
