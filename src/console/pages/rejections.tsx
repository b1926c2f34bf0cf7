import { refusalCheckOf } from '../refusal-checks.ts'
import { Layout } from './console-layout.tsx'
import { Table } from '../../base/pages/table.tsx'
import { count, Moment } from '../../base/pages/words.tsx'
import type { Refused } from '../../ledger/views/refused.ts'
import type { RejectionRecord } from '../../ledger/views/lists.ts'

interface RejectionsPageProps {
  reason: string | undefined
  refused: readonly Refused[]
  rejections: readonly RejectionRecord[]
  next: string | undefined
}

/** Refused deliveries, by reason with remedies, and one by one. */
export function RejectionsPage({ reason, refused, rejections, next }: RejectionsPageProps) {
  return (
    <Layout title="Rejections" at="/rejections">
      <Table
        caption="Refused within a day, by reason"
        empty="No delivery was refused within a day."
        rows={refused}
        columns={[
          {
            name: 'Reason',
            show: (each) => <a href={`/rejections?reason=${encodeURIComponent(each.reason)}`}>{each.reason}</a>,
          },
          { name: 'Deliveries', kind: 'number', show: (each) => count(each.count) },
          { name: 'What to check', kind: 'wide', show: (each) => refusalCheckOf(each.reason) },
        ]}
      />
      <h2>{reason === undefined ? 'One by one' : `One by one: ${reason}`}</h2>
      {reason !== undefined && (
        <p>
          <a href="/rejections">All reasons</a>
        </p>
      )}
      <Table
        caption="The newest first; at most a hundred per second are recorded"
        empty="No refusals."
        rows={rejections}
        columns={[
          { name: 'When', show: ({ at }) => <Moment at={at} /> },
          { name: 'Reason', show: (each) => each.reason },
          { name: 'Bytes', kind: 'number', show: ({ bytes }) => count(bytes) },
        ]}
      />
      {next !== undefined && (
        <p>
          <a href={next}>Older</a>
        </p>
      )}
    </Layout>
  )
}
