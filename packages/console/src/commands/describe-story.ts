import type { Match, NoticeEntry, Story, StoryEntry, StoryWrite } from '../contract/story.ts'
import { formatCount, formatRow, formatTable } from './output.ts'

/** A table of the resources found. */
export function describeMatches(matches: readonly Match[]): string[][] {
  const rows = matches.map((match) => [
    match.id,
    match.kind,
    describeStatus(match),
    shorten(match.lastEventAt),
    match.by,
  ])
  return [['id', 'kind', 'status', 'last event', 'found by'], ...rows]
}

/** The story as lines for a terminal. */
export function describeStory(story: Story): string[] {
  const { handlers, entries, before } = story
  const isOver = story.dueAt === undefined && story.nextPollAt === undefined
  const next = [
    ...(story.isInWork ? ['running now'] : []),
    ...(story.dueAt === undefined ? [] : [`due ${shorten(story.dueAt)}`]),
    ...(story.nextPollAt === undefined ? [] : [`polled ${shorten(story.nextPollAt)}`]),
    ...(isOver ? ['nothing to do'] : []),
  ]
  return [
    story.id,
    formatRow('kind', story.kind),
    formatRow('status', describeStatus(story)),
    formatRow('known', `since ${shorten(story.knownSince)}, last event ${shorten(story.lastEventAt)}`),
    formatRow('read', `${formatCount(story.reads, 'time')}, last stored ${shorten(story.readAt)}`),
    formatRow('next', next.join(', ')),
    '',
    ...formatTable([['handler', 'state', 'next run', 'error'], ...handlers.map(describeHandler)]),
    '',
    ...(before === undefined ? [] : ['For earlier entries, add --before with the value on the last line.']),
    ...formatTable([['when', 'what', 'by', 'result', 'details'], ...entries.flatMap(describeEntry)]),
    ...(before === undefined ? [] : [`--before ${before}`]),
  ].map((line) => line.trimEnd())
}

function describeStatus({ status, outcome }: Pick<Story, 'status' | 'outcome'>): string {
  const codes = outcome.length === 0 ? '' : ` (${outcome.join(', ')})`
  return `${status ?? 'unknown'}${codes}`
}

function describeHandler({ handler, state, attempts, nextAt, parkedAt, error }: Story['handlers'][number]): string[] {
  const since = parkedAt === undefined ? '' : ` since ${shorten(parkedAt)}`
  const failed =
    error === undefined ? '' : `${error.code}: ${error.message} (after ${formatCount(attempts, 'attempt')})`
  return [handler, `${state}${since}`, nextAt === undefined ? '-' : shorten(nextAt), failed]
}

/** One row for the entry, and one for each of its writes. */
function describeEntry(entry: StoryEntry): string[][] {
  const when = shorten(entry.at)
  switch (entry.kind) {
    case 'start':
      return [[when, 'start', 'chart', 'sent', entry.prescription]]
    case 'delivery':
      return [
        [
          when,
          `event ${entry.eventId}`,
          entry.source,
          formatDuplicates(entry.duplicates),
          `${entry.type}, trace ${entry.traceId}`,
        ],
      ]
    case 'snapshot':
      return [[when, 'snapshot', `event ${entry.eventId}`, '', entry.changes.map(describeChange).join(', ')]]
    case 'run': {
      const { error, nextAt, events, writes } = entry
      const covered = events.first === events.last ? `event ${events.last}` : `events ${events.first} to ${events.last}`
      const next = nextAt === undefined ? '' : `, again ${shorten(nextAt)}`
      const failed =
        error === undefined ? '' : `, ${error.code}${error.message === undefined ? '' : `: ${error.message}`}`
      const times = entry.times === 1 ? '' : `${formatCount(entry.times, 'time')} since ${shorten(entry.since)}, `
      if (entry.waitsFor !== undefined) return [[when, 'run', entry.handler, 'waited', `${times}for ${entry.waitsFor}`]]
      const details = `${times}${covered}, ${entry.durationMs} ms${failed}${next}`
      return [[when, 'run', entry.handler, entry.result, details], ...writes.map(describeWrite)]
    }
    case 'effect':
      return [[when, 'effect', entry.handler, 'done', entry.key]]
    case 'notice':
      return [
        [
          when,
          'notice',
          `pharmacy ${entry.ncpdpId}`,
          describeReading(entry),
          `${entry.noticeId}, number ${entry.sequence} of the feed`,
        ],
      ]
    case 'reveal':
      return [[when, 'reveal', entry.actor, 'shown', '']]
  }
}

/** Whether the pharmacy has it. */
function describeReading({ readAt, acknowledgedAt, acknowledgedBy }: NoticeEntry): string {
  if (acknowledgedAt !== undefined) return `acknowledged by ${acknowledgedBy} ${shorten(acknowledgedAt)}`
  return readAt === undefined ? 'not read yet' : `read ${shorten(readAt)}`
}

function describeWrite({ system, type, id, version, link }: StoryWrite): string[] {
  const name = `${type}/${id}${version === undefined ? '' : ` version ${version}`}`
  return ['', '  wrote', system, '', link === undefined ? name : `${name}  ${link}`]
}

function describeChange({ field, from, to }: { field: string; from?: string | undefined; to?: string | undefined }) {
  if (from === undefined && to === undefined) return field
  return from === undefined ? `${field} ${to}` : `${field} ${from} → ${to ?? 'none'}`
}

function formatDuplicates(count: number): string {
  return count === 0 ? '' : formatCount(count, 'duplicate')
}

function shorten(at: string | undefined): string {
  return at === undefined ? 'unknown' : at.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
}
