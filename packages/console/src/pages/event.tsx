import { EventName } from '@pawl/base/pages/event-name'
import { Pill } from '@pawl/base/pages/pill'
import { Table } from '@pawl/base/pages/table'
import { Tile } from '@pawl/base/pages/tile'
import { count, Moment } from '@pawl/base/pages/words'
import type { ReadEvent } from '../read-event.ts'
import { Layout } from './console-layout.tsx'
import { EventStatePill } from './events.tsx'
import { ResourceLink } from './links.tsx'
import { RetryParked } from './retry-parked.tsx'
import { RevealForm } from './reveal.tsx'
import { ownRunColumns } from './runs.tsx'
import { Allowed } from './viewer.tsx'
import type { RunRecord } from '@pawl/ledger/views/list-runs'
import { shownType } from './words.ts'

const words = {
  handled: 'handled',
  waits: 'not yet, waits for its turn',
  due: 'not yet, due',
  parked: 'parked',
  unfollowed: 'does not follow it',
} as const

const tones = { handled: 'good', waits: 'wait', due: 'wait', parked: 'bad', unfollowed: 'quiet' } as const

interface EventPageProps {
  event: ReadEvent
  /** The runs of its resource since it came, the newest first. */
  runs: readonly RunRecord[]
  /** The parked handlers of its resource that still exist. */
  retriable: readonly string[]
}

/** One event and what became of it, without its content: the address may be shared. */
export function EventPage({ event, runs, retriable }: EventPageProps) {
  const { id, receivedAt, type, source, resourceId, repeats, kind, state, handlers } = event
  return (
    <Layout title={`Event ${id}`} at="/events">
      <dl class="tiles">
        <Tile name="State">
          <EventStatePill of={state} />
        </Tile>
        <Tile name="Type">
          <EventName type={shownType(type)} />
        </Tile>
        <Tile name="Received">
          <Moment at={receivedAt} />
        </Tile>
        <Tile name="From">{source}</Tile>
        <Tile name="Copies">{count(repeats)}</Tile>
      </dl>
      {resourceId === undefined || kind === undefined ? (
        <p class="note">No handler follows such an event: it is stored, and nothing is done for it.</p>
      ) : (
        <>
          <p>
            {'Of '}
            <ResourceLink id={resourceId} />
          </p>
          <Table
            caption="What became of it"
            empty="No handler has worked on the resource yet."
            rows={handlers}
            columns={[
              { name: 'Handler', show: ({ handler }) => handler },
              {
                name: 'State',
                show: ({ state }) => <Pill tone={tones[state]}>{words[state]}</Pill>,
              },
            ]}
          />
          <RetryParked id={resourceId} handlers={retriable} />
          <Allowed to="reveal">
            <details class="apart">
              <summary>What it says of the patient</summary>
              <RevealForm id={resourceId} event={id} />
            </details>
          </Allowed>
          <Table
            caption="Runs since it came"
            note="Of the whole resource, the newest first: a run takes all events that have come by then"
            rows={runs}
            columns={ownRunColumns}
          />
        </>
      )}
    </Layout>
  )
}
