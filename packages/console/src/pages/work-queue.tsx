import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { type StaffAction, taskFor } from 'pawl-client/schemas/waits-for-people'
import type { LeftOutFile } from '@pawl/ledger/hot/left-out'
import { Layout } from './console-layout.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { kindOfFile } from '../staff/staff-list.ts'
import { FilterForm, PostForm } from './forms.tsx'
import { ResourceLink } from './links.tsx'
import { addressOfResource } from './words.ts'
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
        Cases that wait for a person, as the service last reported. A case leaves the list by itself once it moves on.
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
          { name: 'To do', kind: 'wide', isBrief: true, show: (work) => <ToDo work={work} /> },
          { name: 'Since', isBrief: true, show: ({ since }) => <When at={since} now={now} /> },
          { name: 'Case', kind: 'id', show: ({ id }) => <ResourceLink id={id} /> },
          {
            name: 'Go',
            isBrief: true,
            show: ({ id, reason }) => (
              <a class="button" href={addressOfResource(id)} aria-label={`Open the case: ${taskFor(reason)}, ${id}`}>
                Open
              </a>
            ),
          },
          { name: 'For developers', kind: 'wide', show: (work) => <Operations of={work} /> },
        ]}
      />
      <OlderLink href={next} label="More" />
      <Table
        caption="Files that the chart could not hold"
        note="Of the last 30 days, the newest first. They are with the service: open the case there, then mark the file as done."
        rows={files}
        columns={[
          { name: 'File', isBrief: true, show: (each) => kindOfFile(each).replaceAll('_', ' ') },
          { name: 'Case', kind: 'id', isBrief: true, show: ({ id }) => <ResourceLink id={id} /> },
          { name: 'System', show: ({ system }) => system },
          { name: 'Since', show: ({ since }) => <When at={since} now={now} /> },
          { name: 'Seen to', isBrief: true, show: (each) => <DoneForm file={each} team={team} /> },
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

/** The task, and what the service allows for it. */
function ToDo({ work: { reason, actions } }: { work: QueuedWork }) {
  return (
    <>
      <strong>{taskFor(reason)}</strong>
      {actions.length > 0 && <div class="faint">You may {actions.map(({ words }) => words).join(', or ')}.</div>}
    </>
  )
}

/** The reason as a code, and the operations of the service's API. */
function Operations({ of: { reason, actions } }: { of: QueuedWork }) {
  return (
    <details>
      <summary>
        <code>{reason}</code>
      </summary>
      <ul class="plain">
        {actions.map(({ name, operation }) => (
          <li key={name}>
            {name.replaceAll('_', ' ')}: {operation}
          </li>
        ))}
      </ul>
    </details>
  )
}
