import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { StaffAction } from 'pawl-client/schemas/waits-for-people'
import type { LeftOutFile } from '@pawl/ledger/hot/left-out'
import { Layout } from './console-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { kindOfFile } from '../staff/staff-list.ts'
import { FilterForm, PostForm } from './forms.tsx'
import { ResourceLink } from './links.tsx'
import { Allowed } from './viewer.tsx'
import { When } from '@pawl/base/pages/words'

/** A resource that waits for people, with their options. */
export interface QueuedWork {
  id: string
  kind: ResourceKind
  reason: string
  since: number
  /** What is due, in words for staff. */
  due: string
  actions: readonly StaffAction[]
}

interface WorkQueuePageProps {
  kind: ResourceKind | undefined
  team: string | undefined
  /** The names of all teams. */
  teams: readonly string[]
  waiting: readonly QueuedWork[]
  /** The address of the next page. */
  next: string | undefined
  /** Files that a chart could not hold. */
  files: readonly LeftOutFile[]
  now: number
}

/** Resources that wait for people, the longest waiting first, with the service's actions; below, files to be looked at elsewhere. */
export function WorkQueuePage({ kind, team, teams, waiting, next, files, now }: WorkQueuePageProps) {
  return (
    <Layout title="For people" at="/work-queue">
      <p>
        Resources that wait for a person, as the service last reported. A resource leaves the list when its status
        changes, when a new request replaces it, or when retention deletes its snapshot.
      </p>
      <FilterForm action="/work-queue">
        <Select name="kind" label="Kind" value={kind} options={['prior_authorization', 'benefit_verification']} />
        {teams.length > 0 && <Select name="team" label="Team" value={team} options={teams} />}
      </FilterForm>
      <Table
        caption="The longest waiting first"
        empty={next === undefined ? 'Nothing waits for people.' : 'None among the resources searched so far.'}
        rows={waiting}
        columns={[
          { name: 'Resource', kind: 'id', show: ({ id }) => <ResourceLink id={id} /> },
          { name: 'Status or reason', show: ({ reason }) => <code>{reason}</code> },
          { name: 'Since', show: ({ since }) => <When at={since} now={now} /> },
          { name: 'What is due', kind: 'wide', show: ({ due }) => due },
          { name: 'What can be done', kind: 'wide', show: ({ actions }) => <Actions actions={actions} /> },
        ]}
      />
      <OlderLink href={next} label="More" />
      <h2>Files that the chart could not hold</h2>
      <p>Of the last 30 days. They are with the service: open the resource there, then mark the file as done.</p>
      <Table
        caption="The newest first"
        empty="None."
        rows={files}
        columns={[
          { name: 'Resource', kind: 'id', show: ({ id }) => <ResourceLink id={id} /> },
          { name: 'File', show: (each) => kindOfFile(each).replaceAll('_', ' ') },
          { name: 'System', show: ({ system }) => system },
          { name: 'Since', show: ({ since }) => <When at={since} now={now} /> },
          { name: 'Seen to', show: (each) => <DoneForm file={each} team={team} /> },
        ]}
      />
    </Layout>
  )
}

function DoneForm({ file: { id, system, file }, team }: { file: LeftOutFile; team: string | undefined }) {
  return (
    <Allowed to="operate">
      <PostForm
        action="/work-queue/done"
        label={`Done: ${kindOfFile({ file })} of ${id}`}
        fields={{ resource: id, system, file, team }}
        isInline
      >
        <button type="submit">Done</button>
      </PostForm>
    </Allowed>
  )
}

function Actions({ actions }: { actions: readonly StaffAction[] }) {
  return (
    <ul class="plain">
      {actions.map(({ name, operation }) => (
        <li key={name}>
          <strong>{name.replaceAll('_', ' ')}</strong>: {operation}
        </li>
      ))}
    </ul>
  )
}
