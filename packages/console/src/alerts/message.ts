import type { AlertNews } from '@pawl/ledger/alerts/alert-records'
import { formatDuration } from '@pawl/base/format-duration'
import { type AlertText, type CheckOf, describeAlert } from './describe-alert.ts'

/** A message to a target: only ids, codes, numbers and fixed sentences. */
export interface AlertMessage {
  /** Same for a repeated message. */
  id: string
  type: 'alert.opened' | 'alert.escalated' | 'alert.recovered' | 'alert.notice' | 'alert.summary' | 'alert.test'
  at: number
  /** One line. */
  subject: string
  /** The whole message, in lines. */
  text: string
  alerts: readonly AlertEntry[]
}

/** One alert of a message. */
export interface AlertEntry extends AlertText {
  news: AlertNews
  /** Absolute URL, if the console's address is known. */
  link: string | undefined
}

export interface MessageOptions {
  checkOf: CheckOf
  /** URL of the console. */
  adminUrl: string | undefined
  /** Maximum messages to the target per hour, and the number sent in the last hour. */
  maxPerHour: number
  sentLastHour: number
}

/** With more news than this a target gets one summary. */
const maxSingly = 5
/** Maximum alerts named in a summary. */
const maxNamed = 40

/** The next message with a target's pending news, and the last news in it. */
export function nextMessage(
  news: readonly AlertNews[],
  options: MessageOptions,
): { message: AlertMessage; upTo: number } | undefined {
  const [first] = news
  const last = news.at(-1)
  if (first === undefined || last === undefined) return undefined
  const isLastOfHour = options.sentLastHour >= options.maxPerHour - 1
  if (news.length > 1 && (news.length > maxSingly || isLastOfHour))
    return { message: summarize(news, { first, last, isLastOfHour }, options), upTo: last.id }
  return { message: tell(first, isLastOfHour, options), upTo: first.id }
}

/** The message of `pawl alerts test`. */
export function testMessage(at: number): AlertMessage {
  const subject = 'pawl: a test of its alerts'
  return { id: `alert_test_${at}`, type: 'alert.test', at, subject, text: `${subject}. Nothing is wrong.`, alerts: [] }
}

function tell(news: AlertNews, isLastOfHour: boolean, options: MessageOptions): AlertMessage {
  const entry = entryOf(news, options)
  const subject = `pawl: ${lineOf(entry)}`
  const more =
    news.change === 'recovered' ? [] : [entry.advice, ...(entry.command === undefined ? [] : [entry.command])]
  const text = [
    subject,
    ...more,
    ...(isLastOfHour ? [fullHour(options)] : []),
    ...(entry.link === undefined ? [] : [entry.link]),
  ].join('\n')
  return {
    id: `alert_${news.id}_${news.id}`,
    type: `alert.${news.change}`,
    at: news.at,
    subject,
    text,
    alerts: [entry],
  }
}

function summarize(
  news: readonly AlertNews[],
  { first, last, isLastOfHour }: { first: AlertNews; last: AlertNews; isLastOfHour: boolean },
  options: MessageOptions,
): AlertMessage {
  // Only the newest state of each alert.
  const newest = [...new Map(news.map((each) => [each.alert.id, each])).values()]
  const notices = newest.filter(({ change }) => change === 'notice')
  const over = newest.filter(({ change }) => change === 'recovered')
  const open = newest.filter((each) => !notices.includes(each) && !over.includes(each))
  const entries = [...notices, ...open, ...over].slice(0, maxNamed).map((each) => entryOf(each, options))
  const left = newest.length - entries.length
  const subject = `pawl: ${open.length} open or worse, ${over.length} over`
  const text = [
    subject,
    ...entries.map(
      (entry) => `- ${lineOf(entry)}${entry.command === undefined || isOver(entry) ? '' : ` (${entry.command})`}`,
    ),
    ...(left > 0 ? [`and ${left} more: pawl alerts`] : []),
    ...(isLastOfHour ? [fullHour(options)] : []),
    ...(options.adminUrl === undefined ? [] : [linkTo('/alerts', options.adminUrl)]),
  ].join('\n')
  return { id: `alert_${first.id}_${last.id}`, type: 'alert.summary', at: last.at, subject, text, alerts: entries }
}

function entryOf(news: AlertNews, { checkOf, adminUrl }: MessageOptions): AlertEntry {
  const { alert, level, count } = news
  const text = describeAlert({ ...alert, level, count }, checkOf)
  return { ...text, news, link: adminUrl === undefined ? undefined : linkTo(text.page, adminUrl) }
}

const isOver = ({ news }: AlertEntry) => news.change === 'recovered'

function lineOf({ title, news }: AlertEntry): string {
  if (news.change === 'recovered') return `over after ${formatDuration(news.at - news.alert.beganAt)}: ${title}`
  const resource = news.alert.resourceId === undefined ? '' : `, such as ${news.alert.resourceId}`
  return `${news.change === 'escalated' ? 'worse: ' : ''}${title}${resource}`
}

function linkTo(page: string, adminUrl: string): string {
  return `${adminUrl.replace(/\/+$/, '')}${page}`
}

function fullHour({ maxPerHour }: MessageOptions): string {
  return `This target got ${maxPerHour} messages within the hour: further messages wait.`
}
