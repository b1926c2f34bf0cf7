import { queryOf } from '@pawl/base/pages/query'
import type { AlertRecord } from '@pawl/ledger/alerts/alert-records'
import type { Fault, Finding } from '../contract/status-verdict.ts'
import { refusalCheckOf } from './refusal-checks.ts'
import { parkedLevel } from '../alerts/find-failed-work.ts'
import { faultOf } from './fault.ts'
import { sayCause, sayReason } from './reasons.ts'
import { casesWaitingFor, inCases, namesOfSystem, sayWaiting } from './names.ts'
import { countFailed } from '../pages/words.ts'
import { type FaultCode, isDated } from './catalogue.ts'
import type { WaitingCases } from '@pawl/ledger/views/work-groups'

/** The fields of an alert that choose its words. */
export type WordedAlert = Pick<AlertRecord, 'kind' | 'subject' | 'level' | 'count'> &
  Partial<Pick<AlertRecord, 'errorCode' | 'httpStatus' | 'most' | 'beganAt' | 'closedAt'>>

/** What is known beside an alert: the cases that wait now, and the deliveries refused for its reason within a day. */
export interface Known {
  waitingCases?: readonly WaitingCases[]
  refusedInDay?: number | undefined
}

/** The fault of an alert, since it began: only ids, codes and numbers. One that is over has its highest count. `known`: what is known besides. */
export function faultOfAlert(alert: WordedAlert, known: Known = {}): Finding {
  const { kind, beganAt, closedAt, most = alert.count } = alert
  // The budget's count is what is left.
  const count = closedAt === undefined || kind === 'budget' ? alert.count : most
  const fault = faultOfKind({ ...alert, count }, closedAt === undefined ? known : {})
  return { ...fault, ...(!isDated(fault.code) && { since: beganAt }) }
}

function faultOfKind(alert: WordedAlert, { waitingCases, refusedInDay }: Known): Fault {
  const { kind, count } = alert
  // An error code follows the handler; a handler may have built it from any text.
  const [first = '', rest] = alert.subject.split(/ (.*)/s, 2)
  const [name, second] = [wordOf(first), rest === undefined ? '' : wordOf(rest)]
  const waiting = waitingCases && sayWaiting(casesWaitingFor(first, waitingCases), ', nothing lost')
  switch (kind) {
    case 'work':
      return failedWork(alert, sayCause(name, second), { handler: name, error: second })
    case 'work_at_system':
      return failedWork(alert, sayCause(namesOfSystem(name).system, second, alert.httpStatus), {
        system: name,
        error: second,
      })
    case 'work_before_handlers':
      return failedWork(alert, `before any handler: ${name}`, { error: name })
    case 'oldest_due':
      return faultOf('overdue', { count })
    case 'refused': {
      const refusals = refusedInDay === undefined ? { count } : { count: countFailed(refusedInDay), span: '24 h' }
      const facts = { ...refusals, reason: name, check: refusalCheckOf(first) }
      return faultOf(refusalFaults.get(name) ?? 'refused', facts, name)
    }
    case 'turned_away':
      if (name === 'disk_full') return faultOf('disk_full', {}, sayReason(name))
      return faultOf(name === 'ledger_locked' ? 'turned_away_locked' : 'turned_away', { count }, sayReason(name))
    case 'paused':
      return faultOf('paused', pauseFacts(name, second))
    case 'unacknowledged':
      return faultOf('unacknowledged', { name, transfers: count === 1 ? '1 transfer' : `${count} transfers` })
    case 'queue':
      return faultOf('queue', {}, alert.errorCode && sayReason(alert.errorCode))
    case 'away':
      return absence(name, alert, undefined, { waiting })
    case 'refuses':
      return absence(name, alert, count === 1 ? 'one kind of request' : `${count} kinds of request`, { waiting })
    case 'budget':
      return faultOf('budget', { name, count })
    case 'retention':
      return faultOf('retention', { count })
    case 'audit':
      return faultOf('audit')
    case 'audit_head':
      return faultOf('audit_head', { head: name })
    case 'backup':
      return count === 0 ? faultOf('no_backup') : faultOf('old_backup', { count })
    case 'differs':
      return faultOf('differs', { ...namesOfSystem(name), cases: inCases(count) })
    case 'target':
      return faultOf('target', { name, count })
  }
}

/** Faults of reasons with a remedy of their own. */
const refusalFaults: ReadonlyMap<string, FaultCode> = new Map([
  ['token_invalid', 'secret_wrong'],
  ['token_expired', 'refused_by_clock'],
])

/** The error of a system that is away. */
export interface AbsenceError {
  errorCode?: string | undefined
  httpStatus?: number | undefined
}

/** The fault of a system that is away, or that refuses `request`; `facts`: more placeholders. */
export function absence(
  system: string,
  { errorCode, httpStatus }: AbsenceError,
  request?: string,
  facts: Record<string, string | undefined> = {},
): Fault {
  const all = { ...namesOfSystem(system), request, ...facts }
  const why = whyOf(errorCode, httpStatus)
  if (request !== undefined) return faultOf('request_refused', all, why)
  if (httpStatus === 401) return faultOf(system === 'api' ? 'token_expired' : 'login_refused', all, why)
  if (httpStatus === 403) return faultOf('right_refused', all, why)
  return faultOf('away', all, why)
}

/** The answer of a system, else what its transport said. */
function whyOf(errorCode: string | undefined, httpStatus: number | undefined): string | undefined {
  if (httpStatus !== undefined) return `HTTP ${httpStatus}`
  return errorCode === undefined ? undefined : sayReason(errorCode)
}

/** The placeholders of a pause of a handler, a system, or all work. */
export function pauseFacts(kind: string, name: string) {
  const { System, system } = namesOfSystem(name)
  const filter = kind === 'all' ? '--all' : `${name} --kind ${kind}`
  const query = queryOf({ kind, name }).slice(1)
  if (kind === 'all') return { What: 'All work', what: 'all work', query, filter }
  return kind === 'system' ? { What: System, what: system, query, filter } : { What: name, what: name, query, filter }
}

function failedWork(
  { level, count, httpStatus }: WordedAlert,
  why: string,
  cause: { handler?: string; system?: string; error: string },
): Fault {
  const { handler, system, error } = cause
  const filter = `${handler === undefined ? '' : `--handler ${handler} `}--error ${error}`
  const query = new URLSearchParams({ ...cause }).toString()
  const code =
    level < parkedLevel ? 'failing' : isRefusal(httpStatus) && system !== undefined ? 'resource_refused' : 'parked'
  return faultOf(code, { cases: inCases(count), query, filter }, why)
}

/** Whether a system refuses what it was sent, and not who sent it. */
export function isRefusal(httpStatus: number | undefined): boolean {
  return httpStatus === 400 || httpStatus === 422
}

/** A code or a name; `?` for any other text, which may be about a patient. */
function wordOf(text: string): string {
  return /^[\w.:-]{0,80}$/.test(text) ? text : '?'
}
