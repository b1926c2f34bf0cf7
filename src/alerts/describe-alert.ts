import type { AlertRecord } from '../ledger/alert-records.ts'
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

type Described = Pick<AlertRecord, 'kind' | 'subject' | 'level' | 'count'>

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
      return describeWork(subject, code, alert)
    case 'oldest_due':
      return {
        title: `work has been due for ${count} min`,
        advice: 'Is a worker running, is something paused, is a system away?',
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
    case 'away':
      return {
        title: `the system ${subject} is away: its work waits`,
        advice: 'Does it run, and are its address and credentials right?',
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

function describeWork(handler: string, code: string, { level, count }: Described): Omit<AlertText, 'about'> {
  const page = `/parked?${new URLSearchParams({ handler, error: code }).toString()}`
  const filter = `--handler ${handler} --error ${code}`
  return level === parkedLevel
    ? {
        title: `${handler}: ${count} parked with ${code}`,
        advice: 'Nothing tries it again by itself. Mend the cause, then retry.',
        command: `pawl retry ${filter}`,
        page,
      }
    : {
        title: `${handler}: ${count} failing with ${code}, ${level} % of the attempts used`,
        advice: 'It is tried again by itself until it is parked.',
        command: `pawl due ${filter}`,
        page,
      }
}

/** Codes and names have no other characters; whatever else somebody throws as one may be about a patient. */
function wordOf(text: string): string {
  return /^[\w.:-]{0,80}$/.test(text) ? text : '?'
}
