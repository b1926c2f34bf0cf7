import { EventName } from '@pawl/base/pages/event-name'
import { Pill } from '@pawl/base/pages/pill'
import { Table } from '@pawl/base/pages/table'
import { Tile } from '@pawl/base/pages/tile'
import { count, Moment } from '@pawl/base/pages/words'
import { queryOf } from '@pawl/base/pages/query'
import type { ReadEvent } from '../read-event.ts'
import { Layout } from './console-layout.tsx'
import { EventStatePill } from './events.tsx'
import { ResourceLink } from './links.tsx'
import { shownType } from './words.ts'

const words = {
  handled: 'handled',
  waits: 'not yet, waits for its turn',
  due: 'not yet, due',
  parked: 'parked',
  unfollowed: 'does not follow it',
} as const

const tones = { handled: 'good', waits: 'wait', due: 'wait', parked: 'bad', unfollowed: 'quiet' } as const

/** One event and what became of it, without its content: the address may be shared. */
export function EventPage({ event }: { event: ReadEvent }) {
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
            <ResourceLink id={resourceId} />
            {' has its course, its content and a button to retry. '}
            <a href={`/runs${queryOf({ resource: resourceId })}`}>Runs</a>
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
        </>
      )}
    </Layout>
  )
}
