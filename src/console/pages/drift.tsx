import { type DriftKind, driftKinds } from '../../service/schemas/drift.ts'
import { Layout } from './console-layout.tsx'
import { Select } from '../../base/pages/select.tsx'
import { Table } from '../../base/pages/table.tsx'
import { addressOfResource } from './words.ts'
import { count, When, plural } from '../../base/pages/words.tsx'
import type { Drift } from '../../ledger/hot/drift-notes.ts'

/** Rows on the page; more would keep deliveries waiting while they are rendered. */
const pageSize = 100

interface DriftPageProps {
  kind: DriftKind | undefined
  drift: readonly Drift[]
  /** How many were left out of the full list. */
  leftOut: number
}

/** Names and codes missing from the catalogue, each with when and how often it was seen. */
export function DriftPage({ kind, drift, leftOut }: DriftPageProps) {
  return (
    <Layout title="Drift" at="/drift">
      <p>
        Names and codes that the service sends and pawl's catalogue lacks. All are stored with their resource and
        ignored; none causes a failure. If your handlers need one, extend the catalogue. Values that do not look like a
        name or a code are shown as ?.
      </p>
      <form class="filter" method="get" action="/drift" aria-label="Filter">
        <Select name="kind" label="Kind" value={kind} options={driftKinds} />
        <button type="submit">Filter</button>
        <a href="/drift">All</a>
      </form>
      {leftOut > 0 && (
        <p class="note warn">
          The list was full. {count(leftOut)} {plural(leftOut, 'entry', 'entries')} did not fit.
        </p>
      )}
      <Table
        caption="The newest first"
        empty="Everything received is in the catalogue."
        rows={drift.slice(0, pageSize)}
        columns={[
          { name: 'Kind', show: (each) => each.kind.replaceAll('_', ' ') },
          { name: 'Where', kind: 'id', show: ({ name }) => name },
          { name: 'Unknown', kind: 'id', show: ({ value }) => value || 'the name' },
          { name: 'Seen', kind: 'number', show: ({ seen }) => count(seen) },
          { name: 'First', show: ({ firstAt }) => <When at={firstAt} /> },
          { name: 'Last', show: ({ lastAt }) => <When at={lastAt} /> },
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
      {drift.length > pageSize && (
        <p>
          {count(drift.length - pageSize)} older {plural(drift.length - pageSize, 'entry', 'entries')}: choose a kind,
          or list all with <code>pawl drift</code>.
        </p>
      )}
    </Layout>
  )
}
