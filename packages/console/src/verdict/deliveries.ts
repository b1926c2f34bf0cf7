import { basename, dirname } from 'node:path'
import type { ShownAlert } from '../alerts/alerts.ts'
import type { Finding } from '../contract/status-verdict.ts'
import { faultOfAlert } from '../faults/fault-of-alert.ts'
import { faultOf } from '../faults/fault.ts'
import { countFailed } from '../pages/words.ts'
import type { Facts } from './facts.ts'
import { isAcceptedAgain, isReasonGone } from './mended.ts'
import { type Gap, isReconciled, joinGaps, unheardCases } from './missed-cases.ts'
import { unreconciled } from './moments.ts'

/** Findings about deliveries that were not stored: those turned away for a full disk, and the others. */
export function deliveryFindings(facts: Facts): { turnedAway: Finding[]; others: Finding[] } {
  const { disk, alerts } = facts
  const missed = missedTimes(facts)
  const unasked = missed.filter((gap) => !isReconciled(gap, facts))
  return {
    turnedAway: disk?.state === 'full' ? [fullDisk(facts)] : [],
    others: [
      ...alerts.flatMap((alert) => (isTurnedAway(alert, facts) ? alert.fault : [])),
      ...joinGaps(unasked, ({ alert: { kind, subject } }) => `${kind} ${subject}`).map((gap) =>
        missedDeliveries(gap, facts),
      ),
      ...unheardCases(missed, facts),
    ],
  }
}

/** A time in which deliveries were not accepted, with its alert. */
interface MissedTime extends Gap {
  alert: ShownAlert
}

/** One time for each alert, from the first missed delivery to the last. Covers refusals, and a full disk that has room again, by alerts that are open or were open within a day. */
function missedTimes(facts: Facts): MissedTime[] {
  const told = [...facts.alerts, ...(facts.pastAlerts ?? [])].filter(
    (alert) => alert.kind === 'refused' || (isOfDisk(alert) && facts.disk?.state !== 'full'),
  )
  return told.map((alert) => ({
    ...timeOf(alert, facts),
    alert,
    why: isOfDisk(alert) ? 'the disk was full' : 'deliveries were refused',
  }))
}

/** The span that one alert covers, from the first delivery that was not accepted to the last. */
function timeOf(alert: ShownAlert, { firstRefusedAt = Infinity, lastRefusedAt }: Facts): Pick<Gap, 'from' | 'to'> {
  const { beganAt, changedAt, closedAt } = alert
  if (closedAt !== undefined) return { from: beganAt, to: closedAt }
  if (isOfDisk(alert)) return { from: beganAt, to: changedAt }
  return { from: Math.min(beganAt, firstRefusedAt), to: lastRefusedAt ?? changedAt }
}

/** Refusals count for an hour; once pawl accepts deliveries again, only catching up is left to do. */
function missedDeliveries({ from, to, alert }: MissedTime, facts: Facts): Finding {
  const { lastRefusedAt, runningMs = Infinity, now } = facts
  if (isOfDisk(alert)) return unreconciled('disk_room_again', { from, now })
  const words = { count: countFailed(alert.most), reason: alert.subject }
  const refused = faultOfAlert(alert, facts)
  const runbook = refused.runbook === undefined ? {} : { runbook: refused.runbook }
  if (alert.closedAt !== undefined || (lastRefusedAt !== undefined && isAcceptedAgain(to, facts)))
    return { ...unreconciled('accepted_again', { from, now }, words), ...runbook }
  if (lastRefusedAt !== undefined && now - lastRefusedAt > runningMs)
    return { ...unreconciled('none_refused_since_start', { from, now }, words), ...runbook }
  return { ...refused, since: from }
}

/** Whether an alert is about deliveries that are still turned away; those for a full disk have their own finding. */
function isTurnedAway(alert: ShownAlert, facts: Facts): boolean {
  return alert.kind === 'turned_away' && !isOfDisk(alert) && !isReasonGone(alert.subject, facts)
}

/** Whether an alert is about deliveries turned away for a full disk. */
export function isOfDisk({ kind, subject }: Pick<ShownAlert, 'kind' | 'subject'>): boolean {
  return kind === 'turned_away' && subject === 'disk_full'
}

function fullDisk({ disk, ledgerPath, alerts }: Facts): Finding {
  const alert = alerts.find((each) => isOfDisk(each))
  return { ...faultOf('disk_full', roomFacts(disk, ledgerPath), 'disk full'), ...(alert && { since: alert.beganAt }) }
}

/** A disk that fills up, or a log that cannot be emptied. */
export function lowDisk({ disk, ledgerPath }: Facts): Finding[] {
  const { largeLogBytes } = disk ?? {}
  return [
    ...(disk?.state === 'low' ? [faultOf('disk_low', roomFacts(disk, ledgerPath))] : []),
    ...(largeLogBytes === undefined ? [] : [faultOf('log_large', { megabytes: megabytesOf(largeLogBytes) })]),
  ]
}

function roomFacts(disk: Facts['disk'], path: string | undefined) {
  const megabytes = disk && megabytesOf(disk.freeBytes)
  if (path === undefined) return { megabytes }
  return { megabytes, folder: dirname(path), files: `${basename(path)}*`, df: `df -h ${dirname(path)}` }
}

const megabytesOf = (bytes: number) => Math.floor(bytes / 1024 / 1024)
