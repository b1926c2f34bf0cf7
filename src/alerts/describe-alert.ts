import type { AlertRecord } from '../ledger/alerts/alert-records.ts'
import { parkedLevel } from './find-failed-work.ts'

/** What people are told of an alert: ids, codes and numbers, and what helps. */
export interface AlertText {
  /** What the alert is about, in codes and names: what is neither reads `?`. */
  about: string
  /** One line. */
  title: string
  /** What to look at. */
  advice: string
  /** A command that helps. */
  command: string | undefined
  /** The address of a page of the console, from `/` on. */
  page: string
}

/** What to check when deliveries are refused for a reason. */
export type CheckOf = (reason: string) => string

type Described = Pick<AlertRecord, 'kind' | 'subject' | 'level' | 'count'> & Partial<Pick<AlertRecord, 'detail'>>

/** Says in words what an alert is about. */
export function describeAlert(alert: Described, checkOf: CheckOf): AlertText {
  // Behind a handler stands an error code, which a handler may have made up of anything.
  const [name = '', code] = alert.subject.split(/ (.*)/s, 2)
  const names = code === undefined ? [wordOf(name)] : [wordOf(name), wordOf(code)]
  return { about: names.join(' '), ...textOf(alert, names, checkOf) }
}

function textOf(alert: Described, names: readonly string[], checkOf: CheckOf): Omit<AlertText, 'about'> {
  const { count } = alert
  const [subject = '?', code = '?'] = names
  switch (alert.kind) {
    case 'work':
      return describeWork(subject, { handler: subject, error: code }, alert)
    case 'work_at_system':
      return describeWork(`at the system ${subject}`, { system: subject, error: code }, alert)
    case 'oldest_due':
      return {
        title: `work has been due for ${count} min`,
        advice: 'Is a worker running, and are there enough of them? What waits for a pause or a system is not counted.',
        command: 'pawl status',
        page: '/',
      }
    case 'refused':
      return {
        title: `${count} deliveries refused within an hour: ${subject}`,
        advice: checkOf(subject),
        command: 'pawl status',
        page: `/rejections?reason=${subject}`,
      }
    case 'turned_away':
      return {
        title: `${count} ${count === 1 ? 'delivery' : 'deliveries'} turned away: ${subject}`,
        advice:
          subject === 'disk_full'
            ? 'Make room beside the ledger: nothing is taken before there is.'
            : 'The service sends them again. Does the ledger answer, and is more sent than this machine takes?',
        command: subject === 'disk_full' ? 'df -h' : 'pawl doctor',
        page: '/',
      }
    case 'paused':
      return {
        title: `${subject === 'all' ? 'all work' : `${subject} ${code}`} has been paused for ${count} h`,
        advice: 'Was it forgotten? What waits for it is tried once it is resumed.',
        command: subject === 'all' ? 'pawl resume --all' : `pawl resume ${code} --kind ${subject}`,
        page: '/handlers',
      }
    case 'queue':
      return {
        title: `the queue's server does not answer${detailOf(alert)}`,
        advice: 'Nothing is lost: workers find what is due in the ledger, later than usual. Does that server run?',
        command: 'pawl doctor',
        page: '/',
      }
    case 'away':
      return {
        title: `the system ${subject} is away: its work waits${detailOf(alert)}`,
        advice: / 40[13]$/.test(alert.detail ?? '')
          ? 'It refuses pawl: renew its token or password, and see what pawl may do there.'
          : 'Does it run, and are its address and credentials right?',
        // The check asks the systems of the integration alone.
        command: subject === 'api' ? 'pawl doctor' : 'pawl check',
        page: '/',
      }
    case 'budget':
      return {
        title: `the rate limit ${subject} is nearly spent: ${count} % left`,
        advice: 'What is more waits until the limit begins anew. What asks so much?',
        command: 'pawl status',
        page: '/',
      }
    case 'retention':
      return {
        title: `old contents have not been deleted for ${count} h`,
        advice: 'Is a worker running? See the lines "retention failed" in the log.',
        command: 'pawl status',
        page: '/',
      }
    case 'audit':
      return {
        title: 'the audit trail was altered',
        advice:
          'Rows were changed, cut off or put back, or SEALING_KEYS changed without the old key: see which, and who could write to the ledger.',
        command: 'pawl audit verify',
        page: '/audit',
      }
    case 'backup':
      return {
        title: count === 0 ? 'there is no backup' : `the newest backup is ${count} h old`,
        advice: 'See what should have made one, and what is at ALERT_BACKUP_FILE.',
        command: undefined,
        page: '/alerts',
      }
    case 'target':
      return {
        title: `alerts do not reach the target ${subject}: ${count} attempts failed`,
        advice: 'Is its address right, and does it answer?',
        command: 'pawl alerts test',
        page: '/alerts',
      }
  }
}

/** Who is at fault, and by what the work is found. */
interface Cause {
  handler?: string
  system?: string
  error: string
}

function describeWork(name: string, cause: Cause, { level, count }: Described): Omit<AlertText, 'about'> {
  const page = `/parked?${new URLSearchParams({ ...cause }).toString()}`
  const { handler, error } = cause
  const filter = `${handler === undefined ? '' : `--handler ${handler} `}--error ${error}`
  return level === parkedLevel
    ? {
        title: `${name}: ${count} parked with ${error}`,
        advice: 'Nothing tries it again by itself. Mend the cause, then retry.',
        command: `pawl retry ${filter}`,
        page,
      }
    : {
        title: `${name}: ${count} failing with ${error} ${count === 1 ? 'has' : 'have'} used ${level} % of the attempts`,
        advice: 'It is tried again by itself until it is parked.',
        command: `pawl due ${filter}`,
        page,
      }
}

/** Such as " (api_unavailable, HTTP 503)". */
function detailOf({ detail }: Described): string {
  if (detail === undefined) return ''
  const [code = '', status] = detail.split(' ', 2)
  return ` (${wordOf(code)}${status === undefined ? '' : `, HTTP ${wordOf(status)}`})`
}

/** Codes and names have no other characters; whatever else somebody throws as one may be about a patient. */
function wordOf(text: string): string {
  return /^[\w.:-]{0,80}$/.test(text) ? text : '?'
}
