import { type DriftKind, driftKinds } from '../../service/schemas/drift.ts'
import { Layout } from './console-layout.tsx'
import { Select } from '../../base/pages/select.tsx'
import { Table } from '../../base/pages/table.tsx'
import { addressOfResource } from './words.ts'
import { count, Moment, plural } from '../../base/pages/words.tsx'
import type { Drift } from '../../ledger/hot/drift-notes.ts'

interface DriftPageProps {
  kind: DriftKind | undefined
  drift: readonly Drift[]
  /** How often something else was met that there was no room for. */
  leftOut: number
}

/** What the service sends and the catalogue does not know: names and codes, each with when and how often it was met. */
export function DriftPage({ kind, drift, leftOut }: DriftPageProps) {
  return (
    <Layout title="Drift" at="/drift">
      <p>
        What the service sends and pawl's catalogue does not know. All of it is kept with its resource and passed over;
        nothing fails for it. Where it matters to your handlers, the catalogue is to be extended. What does not look
        like a name or a code reads ?.
      </p>
      <form class="filter" method="get" action="/drift" aria-label="Filter">
        <Select name="kind" label="Kind" value={kind} options={driftKinds} />
        <button type="submit">Filter</button>
        <a href="/drift">All</a>
      </form>
      {leftOut > 0 && (
        <p class="note warn">
          More was left out: there was no room for it {count(leftOut)} {plural(leftOut, 'time')}.
        </p>
      )}
      <Table
        caption="The one met last first"
        empty="Everything that came is in the catalogue."
        rows={drift}
        columns={[
          { name: 'Kind', show: (each) => each.kind.replaceAll('_', ' ') },
          { name: 'Where', kind: 'id', show: ({ name }) => name },
          { name: 'Unknown', kind: 'id', show: ({ value }) => value || 'the name' },
          { name: 'Seen', kind: 'number', show: ({ seen }) => count(seen) },
          { name: 'First', show: ({ firstAt }) => <Moment at={firstAt} /> },
          { name: 'Last', show: ({ lastAt }) => <Moment at={lastAt} /> },
          {
            name: 'Such as in',
            kind: 'id',
            show: ({ resourceId, kind }) =>
              resourceId === '' || kind === 'event_type' ? (
                resourceId
              ) : (
                <a href={addressOfResource(resourceId)}>{resourceId}</a>
              ),
          },
        ]}
      />
    </Layout>
  )
}
