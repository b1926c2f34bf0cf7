import type { VitalsReading } from '../vitals.ts'
import { type Series, StackedBars } from './stacked-bars.tsx'
import { Table } from '@pawl/base/pages/table'
import { count } from '@pawl/base/pages/words'

type Minute = VitalsReading['minutes'][number]

const series: readonly Series<Minute>[] = [
  { name: 'stored', tone: 'stored', valueOf: ({ stored }) => stored },
  { name: 'copies', tone: 'duplicate', valueOf: ({ duplicate }) => duplicate },
  { name: 'refused', tone: 'refused', valueOf: ({ refused }) => refused },
]

/** Deliveries of the last hour as bars, one per minute, beside a table of the numbers. */
export function DeliveriesChart({ minutes }: { minutes: readonly Minute[] }) {
  const total = minutes.reduce((sum, minute) => sum + minute.stored + minute.duplicate + minute.refused, 0)
  return (
    <div class="chart">
      <StackedBars
        describe={(top) => `Deliveries per minute of the last hour: ${total} in all, ${top} in the busiest minute.`}
        series={series}
        steps={minutes}
        begins="an hour ago"
      />
      <Table
        caption="Deliveries per minute"
        isTall
        rows={minutes.toReversed()}
        columns={[
          { name: 'Minute (UTC)', show: ({ at }) => new Date(at).toISOString().slice(11, 16) },
          { name: 'Stored', kind: 'number', show: ({ stored }) => count(stored) },
          { name: 'Copies', kind: 'number', show: ({ duplicate }) => count(duplicate) },
          { name: 'Refused', kind: 'number', show: ({ refused }) => count(refused) },
        ]}
      />
    </div>
  )
}
