import type { RunEntry, Story, StoryEntry } from '../contract/story.ts'
import { Layout } from './console-layout.tsx'
import { kindNames } from './resources.tsx'
import { RevealForm } from './reveal.tsx'
import { VerifyForm } from './verified.tsx'
import { ShortId } from '@pawl/base/pages/short-id'
import { EventName } from '@pawl/base/pages/event-name'
import { Pill } from '@pawl/base/pages/pill'
import { Table } from '@pawl/base/pages/table'
import { Tile } from '@pawl/base/pages/tile'
import { RetryParked } from './retry-parked.tsx'
import { Allowed } from './viewer.tsx'
import { Clock, count, duration, When, plural } from '@pawl/base/pages/words'

const stateTones = { synced: 'good', due: 'wait', parked: 'bad' } as const

interface ResourcePageProps {
  story: Story
  /** Its parked handlers that still exist. */
  retriable: readonly string[]
  /** Whether this process can read a chart back. */
  isVerifiable: boolean
  /** Whether the previous form retried its parked handlers. */
  isRetried: boolean
}

/** State and history of one resource, the newest first. */
export function ResourcePage({ story, retriable, isVerifiable, isRetried }: ResourcePageProps) {
  const address = `/resources/${encodeURIComponent(story.id)}`
  return (
    <Layout title={story.id} heading={<ShortId id={story.id} />} at="/resources">
      {isRetried && (
        <p class="note" role="status">
          Its parked work was made due.
        </p>
      )}
      <dl class="tiles">
        <Tile name="Kind">{kindNames[story.kind]}</Tile>
        <Tile name="Status">{[story.status ?? 'not read yet', ...story.outcome].join(', ')}</Tile>
        <Tile name="Work">{workOf(story)}</Tile>
        <Tile name="Reads">
          {count(story.reads)} {plural(story.reads, 'time')}
        </Tile>
      </dl>
      <Table
        caption="Handlers"
        empty="No handler has worked on it yet."
        rows={story.handlers}
        columns={[
          { name: 'Handler', isBrief: true, show: ({ handler }) => handler },
          { name: 'State', isBrief: true, show: ({ state }) => <Pill tone={stateTones[state]}>{state}</Pill> },
          { name: 'Attempts', kind: 'number', show: ({ attempts }) => count(attempts) },
          { name: 'Next', show: ({ nextAt }) => <When at={nextAt} /> },
          { name: 'Error', kind: 'wide', show: ({ error }) => error && `${error.code}: ${error.message}` },
        ]}
      />
      <RetryParked id={story.id} handlers={retriable} />
      {isVerifiable && (
        <Allowed to="operate">
          <VerifyForm id={story.id} />
        </Allowed>
      )}
      <Allowed to="reveal">
        <details class="apart">
          <summary>What it says of the patient</summary>
          <RevealForm id={story.id} />
        </details>
      </Allowed>
      <h2>What happened</h2>
      {story.entries.length === 0 && <p class="faint">No entries are left.</p>}
      <ol class="story">
        {story.entries.toReversed().map((entry, index) => (
          <li key={index} class={entry.kind === 'run' ? entry.result : entry.kind}>
            <span class="faint">
              <Clock at={entry.at} to="second" />, <When at={entry.at} />
            </span>{' '}
            <Entry entry={entry} />
          </li>
        ))}
      </ol>
      {story.before !== undefined && (
        <p>
          <a href={`${address}?before=${encodeURIComponent(story.before)}`}>What happened before</a>
        </p>
      )}
    </Layout>
  )
}

function workOf({ isInWork, dueAt, isTerminal, nextPollAt, handlers }: Story) {
  if (isInWork) return 'in work'
  if (dueAt !== undefined) return 'due'
  const parked = handlers.filter(({ state }) => state === 'parked').length
  if (parked > 0) return <span class="bad">{parked} parked</span>
  if (isTerminal) return 'ended'
  return nextPollAt === undefined ? 'at rest' : 'at rest, polled later'
}

function Entry({ entry }: { entry: StoryEntry }) {
  switch (entry.kind) {
    case 'start':
      return (
        <span>
          Started from the chart's <code>{entry.prescription}</code>
        </span>
      )
    case 'delivery':
      return (
        <span>
          {sources[entry.source]} <EventName type={entry.type} />,{' '}
          <a href={`/events/${entry.eventId}`}>event {entry.eventId}</a>
          {entry.duplicates > 0 && `, ${entry.duplicates} ${plural(entry.duplicates, 'copy', 'copies')}`}, trace{' '}
          <ShortId id={entry.traceId} />
        </span>
      )
    case 'snapshot':
      return (
        <span>
          The service returned a change:{' '}
          {entry.changes.map(({ field, from, to }, index) => (
            <span key={field}>
              {index > 0 && ', '}
              <code>{field}</code>
              {to !== undefined && ` ${from ?? '–'} → ${to}`}
            </span>
          ))}
        </span>
      )
    case 'run':
      return <RunLine run={entry} />
    case 'effect':
      return (
        <span>
          {entry.handler} did <code>{entry.key}</code> once
        </span>
      )
    case 'notice':
      return (
        <span>
          Notice <ShortId id={entry.noticeId} /> for pharmacy {entry.ncpdpId} (number {entry.sequence} of the feed):{' '}
          {entry.acknowledgedAt !== undefined ? (
            <>
              acknowledged by {entry.acknowledgedBy} <When at={entry.acknowledgedAt} />
            </>
          ) : entry.readAt !== undefined ? (
            <>
              read <When at={entry.readAt} />, not acknowledged
            </>
          ) : (
            'not read yet'
          )}
        </span>
      )
    case 'reveal':
      return (
        <span>
          Shown to <code>{entry.actor}</code>
        </span>
      )
  }
}

const sources = { webhook: 'Webhook', poll: 'Found by a poll:', api: 'Requested by pawl:', cli: 'By command:' } as const
const results: Readonly<Record<Exclude<RunEntry['result'], 'waited'>, (run: RunEntry) => string>> = {
  succeeded: (run) => `succeeded in ${duration(run.durationMs)}`,
  failed: (run) => `failed after ${duration(run.durationMs)}, retried${waitAfter(run)}`,
  parked: (run) => `failed after ${duration(run.durationMs)} and is parked`,
  discarded: () => 'was discarded by hand',
}

function waitAfter({ at, durationMs, nextAt }: RunEntry): string {
  return nextAt === undefined ? '' : ` in ${duration(Math.max(0, Date.parse(nextAt) - Date.parse(at) - durationMs))}`
}

/** A run that could only wait used no attempt, so its code and its next try tell nothing. */
function WaitLine({ run: { handler, waitsFor, times, since, at } }: { run: RunEntry }) {
  return (
    <span>
      {handler} waited for {waitsFor}
      {times > 1 && (
        <>
          {' '}
          from <Clock at={since} to="second" /> to <Clock at={at} to="second" /> ({count(times)} tries)
        </>
      )}
    </span>
  )
}

function RunLine({ run }: { run: RunEntry }) {
  if (run.result === 'waited') return <WaitLine run={run} />
  return (
    <span>
      {run.handler} {results[run.result](run)}
      {run.times > 1 && ` (${count(run.times)} times in ${duration(Date.parse(run.at) - Date.parse(run.since))})`}
      {run.error && (
        <>
          : <code>{run.error.code}</code> {run.error.message}
        </>
      )}
      {run.writes.length > 0 && ', wrote '}
      {run.writes.map(({ system, type, id, link }, index) => {
        const name = `${system} ${type}/${id}`
        return (
          <span key={name}>
            {index > 0 && ', '}
            {link === undefined ? (
              <code>{name}</code>
            ) : (
              <a href={link} rel="noreferrer">
                {name}
              </a>
            )}
          </span>
        )
      })}
    </span>
  )
}
