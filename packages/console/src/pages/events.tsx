import { eventKinds } from 'pawl-client/events/event-types'
import { queryOf } from '@pawl/base/pages/query'
import { listRanges } from '../ranges.ts'
import { Layout } from './console-layout.tsx'
import { Source } from '../contract/story.ts'
import { EventName } from '@pawl/base/pages/event-name'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Pill, type Tone } from '@pawl/base/pages/pill'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { TextFilter } from '@pawl/base/pages/text-filter'
import { FilterForm, refreshing } from './forms.tsx'
import { ResourceLink } from './links.tsx'
import { shownType } from './words.ts'
import { count, When } from '@pawl/base/pages/words'
import type { EventState, EventSummary } from '@pawl/ledger/views/rows'

interface EventsPageProps {
  filter: {
    type?: string | undefined
    source?: string | undefined
    state?: string | undefined
    resource?: string | undefined
    within?: string | undefined
  }
  /** Whether the page updates itself with new events. */
  isFollowing: boolean
  events: readonly EventSummary[]
  next: string | undefined
}

/** The events, the newest first: types, ids and times, never a body. */
export function EventsPage({ filter, isFollowing, events, next }: EventsPageProps) {
  return (
    <Layout title="Events" at="/events">
      <FilterForm action="/events">
        <Select name="type" label="Type" value={filter.type} options={Object.keys(eventKinds)} />
        <Select name="source" label="From" value={filter.source} options={Source.options} />
        <Select name="state" label="State" value={filter.state} options={stateOptions} />
        <Select name="within" label="Within" value={filter.within} options={listRanges} />
        <TextFilter name="resource" label="Resource" value={filter.resource} />
      </FilterForm>
      <p>
        <a class="button" href={`/events${queryOf({ ...filter, follow: isFollowing ? undefined : 'on' })}`}>
          {isFollowing ? 'Stop following' : 'Follow new events'}
        </a>
      </p>
      <div
        {...(isFollowing
          ? refreshing('tail', `/events${queryOf({ ...filter, follow: 'on' })}`, 'every 2s')
          : { id: 'tail' })}
      >
        <Table
          caption="The newest first"
          empty={next === undefined ? 'No events.' : 'None among the events searched so far: there are older ones.'}
          rows={events}
          columns={[
            { name: 'Event', kind: 'number', show: ({ id }) => <a href={`/events/${id}`}>{id}</a> },
            { name: 'State', isBrief: true, show: ({ state }) => <EventStatePill of={state} /> },
            { name: 'Received', isBrief: true, show: ({ receivedAt }) => <When at={receivedAt} /> },
            { name: 'Type', isBrief: 'below', show: ({ type }) => <EventName type={shownType(type)} /> },
            { name: 'From', show: ({ source }) => source },
            {
              name: 'Resource',
              kind: 'id',
              show: ({ resourceId, kind }) => kind !== undefined && <ResourceLink id={resourceId} />,
            },
            { name: 'Copies', kind: 'number', show: ({ repeats }) => count(repeats) },
          ]}
        />
      </div>
      <OlderLink href={next} />
    </Layout>
  )
}

const states: Readonly<Record<EventState, [tone: Tone, words: string]>> = {
  parked: ['bad', 'parked'],
  failing: ['warn', 'failing'],
  waiting: ['wait', 'waiting'],
  due: ['wait', 'due'],
  synced: ['good', 'in sync'],
  unhandled: ['quiet', 'no handler'],
}

const stateOptions = Object.entries(states).map(([state, [, shown]]) => [state, shown] as const)

/** What became of an event. */
export function EventStatePill({ of: state }: { of: EventState }) {
  const [tone, words] = states[state]
  return <Pill tone={tone}>{words}</Pill>
}
