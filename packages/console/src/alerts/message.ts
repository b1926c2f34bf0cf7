import type { UntoldAlert } from '@pawl/ledger/alerts/alert-records'
import { createHash } from 'node:crypto'
import { formatDuration } from '@pawl/base/format-duration'
import { type Fault, sayFinding } from '../contract/status-verdict.ts'
import { faultOfAlert } from '../faults/fault-of-alert.ts'

/** The change of an alert since the last message to a target. A notice is no fault. */
export type AlertChange = 'opened' | 'still_open' | 'over' | 'notice'

/** A message to a target: only ids, codes, numbers and the words of the catalogue. */
export interface AlertMessage {
  /** Same for a repeated message. */
  id: string
  at: number
  /** One line. */
  subject: string
  /** The whole message, in lines. */
  text: string
  alerts: readonly AlertEntry[]
}

/** One alert of a message. */
export interface AlertEntry {
  alert: UntoldAlert
  change: AlertChange
  fault: Fault
  /** Absolute URL, if the console's address is known. */
  link: string | undefined
}

/** Max alerts named in a message. */
const maxNamed = 40

/** One message with all alerts that were not sent to a target; `adminUrl`: address of the console. */
export function messageOf(alerts: readonly UntoldAlert[], adminUrl: string | undefined, at: number): AlertMessage {
  const entries = alerts.slice(0, maxNamed).map((alert) => entryOf(alert, adminUrl))
  const left = alerts.length - entries.length
  const [first = ''] = entries.map(lineOf)
  const subject = `pawl: ${alerts.length === 1 ? first : `${alerts.length} alerts`}`
  const text = [
    ...(alerts.length === 1 ? [subject, ...remedyOf(entries)] : [subject, ...entries.flatMap(paragraphOf)]),
    ...(left > 0 ? [`and ${left} more: pawl alerts`] : []),
  ].join('\n')
  const steps = alerts.map(({ id, step }) => `${id}.${step}`).join(' ')
  const id = `alert_${createHash('sha256').update(steps).digest('hex').slice(0, 24)}`
  return { id, at, subject, text, alerts: entries }
}

/** The message of `pawl alerts test`. */
export function testMessage(at: number): AlertMessage {
  const subject = 'pawl: a test of its alerts'
  return { id: `alert_test_${at}`, at, subject, text: `${subject}. Nothing is wrong.`, alerts: [] }
}

function entryOf(alert: UntoldAlert, adminUrl: string | undefined): AlertEntry {
  const fault = faultOfAlert(alert)
  const link = adminUrl && `${adminUrl.replace(/\/+$/, '')}${fault.page ?? '/'}`
  return { alert, change: changeOf(alert), fault, link }
}

function changeOf({ kind, closedAt, told }: UntoldAlert): AlertChange {
  if (kind === 'audit_head') return 'notice'
  if (closedAt !== undefined) return 'over'
  return told === 0 ? 'opened' : 'still_open'
}

function lineOf({ alert, change, fault }: AlertEntry): string {
  const { beganAt, closedAt = beganAt, resourceId } = alert
  if (change === 'over') return `over after ${formatDuration(closedAt - beganAt)}: ${fault.title}`
  const such = resourceId === undefined ? '' : ` Such as ${resourceId}.`
  return `${change === 'still_open' ? 'still open: ' : ''}${sayFinding(fault, String)}${such}`
}

function paragraphOf(entry: AlertEntry): string[] {
  return [`- ${lineOf(entry)}`, ...remedyOf([entry]).map((line) => `  ${line}`)]
}

function remedyOf(entries: readonly AlertEntry[]): string[] {
  return entries.flatMap(({ change, fault: { todo, command }, link }) =>
    change === 'over' ? [] : [todo, command, link].filter((line) => line !== undefined),
  )
}
