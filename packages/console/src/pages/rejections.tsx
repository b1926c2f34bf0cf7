import { refusalCheckOf } from '../faults/refusal-checks.ts'
import { catalogue } from '../faults/catalogue.ts'
import { listRanges } from '../ranges.ts'
import { OlderLink } from '@pawl/base/pages/older-link'
import { Select } from '@pawl/base/pages/select'
import { Layout } from './console-layout.tsx'
import { FilterForm } from './forms.tsx'
import { Table } from '@pawl/base/pages/table'
import { Clock, count, When } from '@pawl/base/pages/words'
import type { Refused } from '@pawl/ledger/views/refused'
import type { RejectionRecord } from '@pawl/ledger/views/rows'

interface RejectionsPageProps {
  reason: string | undefined
  within: string | undefined
  refused: readonly Refused[]
  rejections: readonly RejectionRecord[]
  next: string | undefined
}

/** Refused deliveries, by reason with remedies, and one by one. */
export function RejectionsPage({ reason, within, refused, rejections, next }: RejectionsPageProps) {
  return (
    <Layout title="Rejections" at="/rejections">
      <Table
        caption="Refused within a day, by reason"
        empty="No delivery was refused within a day. Those that were turned away, as with a full disk, are not kept: the log counts them."
        rows={refused}
        columns={[
          {
            name: 'Reason',
            isBrief: true,
            show: (each) => <a href={`/rejections?reason=${encodeURIComponent(each.reason)}`}>{each.reason}</a>,
          },
          { name: 'Deliveries', kind: 'number', isBrief: true, show: (each) => count(each.count) },
          {
            name: 'What to check',
            kind: 'wide',
            show: (each) => (
              <>
                {refusalCheckOf(each.reason)}{' '}
                {each.reason.startsWith('token_') && (
                  <a href={`/runbook#${catalogue.secret_wrong.runbook}`}>What to do</a>
                )}
              </>
            ),
          },
        ]}
      />
      <FilterForm action="/rejections" fields={{ reason }}>
        <Select name="within" label="Within" value={within} options={listRanges} />
      </FilterForm>
      <Table
        caption={reason === undefined ? 'One by one' : `One by one: ${reason}`}
        note="The newest first; at most a hundred per second are recorded"
        empty="No refusals."
        rows={rejections}
        columns={[
          { name: 'When', isBrief: true, show: ({ at }) => <When at={at} /> },
          { name: 'At', isBrief: true, show: ({ at }) => <Clock at={at} to="second" /> },
          { name: 'Reason', isBrief: true, show: (each) => each.reason },
          { name: 'Bytes', kind: 'number', show: ({ bytes }) => count(bytes) },
        ]}
      />
      <OlderLink href={next} />
    </Layout>
  )
}
