import type { UntoldAlert } from '@pawl/ledger/alerts/alert-records'
import { createHash } from 'node:crypto'
import { formatClock } from '@pawl/base/format-clock'
import { formatDuration } from '@pawl/base/format-duration'
import { type Finding, sayFinding } from '../contract/status-verdict.ts'
import type { WaitingCases } from '@pawl/ledger/views/work-groups'
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
  fault: Finding
  /** Pages of the console: the one that helps, and the section of the runbook; none if its address is unknown. */
  links: string[]
}

/** Max alerts named in a message. */
const maxNamed = 40

interface Around {
  /** The console's address. */
  adminUrl: string | undefined
  waitingCases: readonly WaitingCases[]
  at: number
}

/** One message with all alerts that were not sent to a target. */
export function messageOf(alerts: readonly UntoldAlert[], around: Around): AlertMessage {
  const { at } = around
  const entries = alerts.slice(0, maxNamed).map((alert) => entryOf(alert, around))
  const left = alerts.length - entries.length
  const lineOf = (entry: AlertEntry) => sayAlert(entry, at)
  const [first = ''] = entries.map(lineOf)
  const paragraphOf = (entry: AlertEntry) => [`- ${lineOf(entry)}`, ...remedyOf(entry).map((line) => `  ${line}`)]
  const subject = `pawl: ${alerts.length === 1 ? first : `${alerts.length} alerts`}`
  const text = [
    ...(alerts.length === 1 ? [subject, ...entries.flatMap(remedyOf)] : [subject, ...entries.flatMap(paragraphOf)]),
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

function entryOf(alert: UntoldAlert, { adminUrl, waitingCases }: Around): AlertEntry {
  const fault = faultOfAlert(alert, { waitingCases })
  const paths = [...(fault.page === undefined ? [] : [fault.page]), `/runbook#${fault.runbook}`]
  const links = adminUrl === undefined ? [] : paths.map((path) => `${adminUrl.replace(/\/+$/, '')}${path}`)
  return { alert, change: changeOf(alert), fault, links }
}

function changeOf({ kind, closedAt, told }: UntoldAlert): AlertChange {
  if (kind === 'audit_head') return 'notice'
  if (closedAt !== undefined) return 'over'
  return told === 0 ? 'opened' : 'still_open'
}

function sayAlert({ alert, change, fault }: AlertEntry, now: number): string {
  const { beganAt, closedAt = beganAt, resourceId } = alert
  if (change === 'over') return `over after ${formatDuration(Math.max(0, closedAt - beganAt))}: ${fault.title}`
  const such = resourceId === undefined ? '' : ` Such as ${resourceId}.`
  const said = sayFinding(fault, (time) => formatClock(time, now, { timeZoneName: 'short' }))
  return `${change === 'still_open' ? 'still open: ' : ''}${said}${such}`
}

function remedyOf({ change, fault: { todo, command }, links }: AlertEntry): string[] {
  return change === 'over' ? [] : [todo, command, ...links].filter((line) => line !== undefined)
}
