import { ResourceState } from '../contract/resource-contract.ts'
import type { Matches } from '../contract/story.ts'
import type { ResourceSummary } from '@pawl/ledger/views/rows'
import { Layout } from './console-layout.tsx'
import { Allowed } from './viewer.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Select } from '@pawl/base/pages/select'
import { Pill } from '@pawl/base/pages/pill'
import { Table } from '@pawl/base/pages/table'
import { FilterForm } from './forms.tsx'
import { ResourceLink } from './links.tsx'
import { count, When } from '@pawl/base/pages/words'
import { statusOf } from '../contract/status-of.ts'

/** Names of the kinds of resource. */
export const kindNames = {
  prior_authorization: 'prior authorization',
  benefit_verification: 'benefit verification',
  provider_outreach: 'provider outreach',
} as const

interface ResourcesPageProps {
  filter: { kind?: string | undefined; state?: string | undefined }
  resources: readonly ResourceSummary[]
  next: string | undefined
}

/** The resources, the newest first; with a state, the oldest first. */
export function ResourcesPage({ filter: { kind, state }, resources, next }: ResourcesPageProps) {
  return (
    <Layout title="Resources" at="/resources">
      <FilterForm action="/resources">
        <Select name="kind" label="Kind" value={kind} options={Object.entries(kindNames)} />
        <Select name="state" label="State" value={state} options={ResourceState.options} />
      </FilterForm>
      <Table
        caption={state === undefined ? 'The newest first' : 'The oldest first'}
        empty={next === undefined ? 'No resources.' : 'None among the resources searched so far.'}
        rows={resources}
        columns={[
          { name: 'Resource', kind: 'id', isBrief: true, show: ({ id }) => <ResourceLink id={id} /> },
          { name: 'Kind', show: (resource) => kindNames[resource.kind] },
          { name: 'Status', show: (resource) => statusOf(resource) ?? '–' },
          { name: 'Known since', show: ({ firstEventAt }) => <When at={firstEventAt} /> },
          { name: 'Last event', isBrief: true, show: ({ lastEventAt }) => <When at={lastEventAt} /> },
          { name: 'State', isBrief: true, show: stateOf },
        ]}
      />
      <OlderLink href={next} label="More" />
    </Layout>
  )
}

/** Results of a search, without the search text, which may be a number of a patient. */
export function FoundPage({ found }: { found: Matches }) {
  return (
    <Layout title="Search" at="/resources">
      <Table
        caption={found.isAll ? `Found (${count(found.matches.length)})` : `The first ${found.matches.length} found`}
        empty="No resource has this id or one that begins so (twelve characters at least, capitals count), carries this number, or had this event or trace."
        rows={found.matches}
        columns={[
          { name: 'Resource', kind: 'id', isBrief: true, show: ({ id }) => <ResourceLink id={id} /> },
          { name: 'Kind', show: (match) => kindNames[match.kind] },
          { name: 'Status', isBrief: true, show: ({ status }) => status ?? '–' },
          { name: 'Found by', show: ({ by }) => by },
          { name: 'Last event', show: ({ lastEventAt }) => <When at={lastEventAt} /> },
        ]}
      />
      {found.matches.some(({ by }) => by === 'internal_id') && (
        <Allowed to="privacy">
          <p>
            <a href="/erase">Erase this patient</a>
          </p>
        </Allowed>
      )}
    </Layout>
  )
}

function stateOf({ isClaimed, dueAt, terminal, parked, failing, waiting }: ResourceSummary) {
  if (parked > 0) return <Pill tone="bad">parked</Pill>
  if (failing > 0) return <Pill tone="warn">failing</Pill>
  if (waiting > 0) return <Pill tone="wait">waiting</Pill>
  if (isClaimed) return <Pill tone="wait">in work</Pill>
  if (dueAt !== undefined) return <Pill tone="wait">due</Pill>
  return <Pill tone="good">{terminal ? 'in sync, ended' : 'in sync'}</Pill>
}
