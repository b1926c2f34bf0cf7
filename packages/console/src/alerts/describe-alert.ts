import type { AlertRecord } from '@pawl/ledger/alerts/alert-records'
import { parkedLevel } from './find-failed-work.ts'

/** Text of an alert for people: ids, codes, numbers and advice. */
export interface AlertText {
  /** Subject of the alert in codes and names; other text reads `?`. */
  about: string
  /** One line. */
  title: string
  /** Advice in one or two sentences. */
  advice: string
  /** A command that helps. */
  command: string | undefined
  /** Path of a console page, starting with `/`. */
  page: string
}

/** Advice for deliveries refused with a reason. */
export type CheckOf = (reason: string) => string

type Described = Pick<AlertRecord, 'kind' | 'subject' | 'level' | 'count'> & Partial<Pick<AlertRecord, 'detail'>>

/** Describes an alert in words. */
export function describeAlert(alert: Described, checkOf: CheckOf): AlertText {
  // After the handler follows an error code, which a handler may have built from any text.
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
    case 'work_before_handlers':
      return describeWork('before any handler', { error: subject }, alert)
    case 'oldest_due':
      return {
        title: `work has been due for ${count} min`,
        advice:
          'Is a worker running, and are there enough of them? Work that waits for a pause or a system does not count.',
        command: 'systemctl start pawl@worker',
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
        ...(turnedAway[subject] ?? turnedAway.other),
        page: '/',
      }
    case 'paused':
      return {
        title: `${subject === 'all' ? 'all work' : `${subject} ${code}`} has been paused for ${count} h`,
        advice: 'Was it forgotten? Waiting work runs once it is resumed.',
        command: subject === 'all' ? 'pawl resume --all' : `pawl resume ${code} --kind ${subject}`,
        page: '/handlers',
      }
    case 'unacknowledged':
      return {
        title: `the pharmacy ${subject} has not acknowledged ${count} ${count === 1 ? 'transfer' : 'transfers'}`,
        advice:
          'Does it still read the feed? pawl show tells of a transfer when it was read; if the pharmacy never acknowledges, set ALERT_UNACKNOWLEDGED_HOURS=0.',
        command: 'pawl audit --action feed.read',
        page: '/audit?action=feed.read',
      }
    case 'queue':
      return {
        title: `the queue's server does not answer${detailOf(alert)}`,
        advice: 'Nothing is lost: workers find due work in the ledger, later than usual. Is that server running?',
        command: 'pawl doctor',
        page: '/',
      }
    case 'away':
      return {
        title: `the system ${subject} is away: its work waits${detailOf(alert)}`,
        advice: / 40[13]$/.test(alert.detail ?? '')
          ? 'It refuses pawl: renew its token or password, and check the rights of pawl there.'
          : 'Is it running, and are its address and credentials right?',
        // `pawl check` covers only the systems of the integration.
        command: subject === 'api' ? 'pawl doctor' : 'pawl check',
        page: '/',
      }
    case 'refuses':
      return {
        title: `the system ${subject} refuses ${count === 1 ? 'one kind' : `${count} kinds`} of request: work that needs ${count === 1 ? 'it' : 'them'} waits${detailOf(alert)}`,
        advice:
          'Other work goes on. Which right does pawl lack there? pawl status names the request. Once pawl has the right, ask again at once.',
        command: `pawl probe ${subject}`,
        page: '/',
      }
    case 'budget':
      return {
        title: `the rate limit ${subject} is nearly spent: ${count} % left`,
        advice: 'Further requests wait until the limit resets. What sends so many?',
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
          'Rows were changed, cut off or restored, or SEALING_KEYS changed without the old key: find out which, and who can write to the ledger, then acknowledge it.',
        command: 'pawl audit verify',
        page: '/audit',
      }
    case 'audit_head':
      return {
        title: `the audit trail ends with ${subject}`,
        advice:
          'Keep this message where pawl cannot change it: with this head, the command finds a trail put back since.',
        command: `pawl audit verify --head ${subject}`,
        page: '/audit',
      }
    case 'backup':
      return {
        title: count === 0 ? 'there is no backup' : `the newest backup is ${count} h old`,
        advice: 'Check the backup job, and the path in ALERT_BACKUP_FILE.',
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

const turnedAway: Readonly<Record<string, Pick<AlertText, 'advice' | 'command'>>> &
  Record<'other', Pick<AlertText, 'advice' | 'command'>> = {
  disk_full: { advice: 'Free disk space for the ledger: until then no delivery is accepted.', command: 'df -h' },
  ledger_locked: {
    advice:
      'Another process held a lock on the ledger. The log names it ("the ledger takes no writes"): end its transaction if it still runs.',
    command: 'pawl status',
  },
  other: {
    advice: 'The service sends them again. Does the ledger answer, and does the load exceed this machine?',
    command: 'pawl doctor',
  },
}

/** The cause of failed work, as a filter. */
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
        advice: 'It is not retried by itself. Fix the cause, then retry.',
        command: `pawl retry ${filter}`,
        page,
      }
    : {
        title: `${name}: ${count} failing with ${error} ${count === 1 ? 'has' : 'have'} used ${level} % of the attempts`,
        advice: 'pawl retries it until it is parked.',
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

/** Codes and names have no other characters; any other text may be about a patient. */
function wordOf(text: string): string {
  return /^[\w.:-]{0,80}$/.test(text) ? text : '?'
}
