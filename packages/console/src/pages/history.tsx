import type { ShownAlert } from '../alerts/alerts.ts'
import { queryOf } from '@pawl/base/pages/query'
import { type HistoryRange, historyRanges } from '../ranges.ts'
import { backlogSeries, backlogTitle, stepsOf, type TimeStep } from './backlog.tsx'
import { Layout } from './console-layout.tsx'
import { FaultLink } from './links.tsx'
import { type Series, StackedBars } from './stacked-bars.tsx'
import { Table } from '@pawl/base/pages/table'
import { duration, When } from '@pawl/base/pages/words'
import type { Tally, TallyName } from '@pawl/ledger/views/tally-of-time'

interface HistoryPageProps {
  range: HistoryRange
  tallies: readonly Tally[]
  /** Alerts that were open within the range. */
  incidents: readonly ShownAlert[]
  now: number
}

interface Chart {
  title: string
  series: readonly Series<TimeStep>[]
  /** Writes a value; count by default. */
  write?: (value: number) => string
}

const sum =
  (name: TallyName) =>
  ({ tallies }: TimeStep) =>
    tallies.reduce((total, each) => total + (each.name === name ? each.value : 0), 0)
const mean = (of: TallyName, by: TallyName) => (step: TimeStep) => sum(of)(step) / Math.max(1, sum(by)(step))

const charts: readonly Chart[] = [
  {
    title: 'Deliveries',
    series: [
      { name: 'stored', tone: 'stored', valueOf: sum('delivered') },
      { name: 'refused', tone: 'refused', valueOf: sum('refused') },
    ],
  },
  {
    title: 'Runs of handlers',
    series: [
      { name: 'succeeded', tone: 'stored', valueOf: sum('succeeded') },
      { name: 'failed, to be retried', tone: 'duplicate', valueOf: sum('failed') },
      { name: 'parked', tone: 'refused', valueOf: sum('given_up') },
    ],
  },
  { title: backlogTitle, series: backlogSeries },
  {
    title: 'From an event to a synced handler, mean',
    series: [{ name: 'mean', tone: 'stored', valueOf: mean('sync_ms', 'synced') }],
    write: duration,
  },
]

/** Deliveries, runs, backlog and time to the systems over a range, counted from the ledger, with incidents marked. */
export function HistoryPage({ range, tallies, incidents, now }: HistoryPageProps) {
  const { forMs, stepMs } = historyRanges[range]
  const end = Math.floor(now / stepMs) * stepMs + stepMs
  const steps = stepsOf(tallies, range, now)
  return (
    <Layout title="History" at="/history">
      <ul class="tabs" aria-label="Range">
        {(Object.keys(historyRanges) as HistoryRange[]).map((each) => (
          <li key={each}>
            <a
              href={`/history${queryOf({ range: each })}`}
              {...(each === range && { 'aria-current': 'true' as const })}
            >
              {each}
            </a>
          </li>
        ))}
      </ul>
      <p class="faint">
        Of all processes, counted from the ledger within a minute, in steps of {duration(stepMs)}. Shaded: an alert was
        open.
      </p>
      <div class="charts">
        {charts.map((chart) => (
          <StackedBars
            {...chart}
            describe={(top, last) => `${chart.title} of the last ${range}: at most ${top} in one step, ${last} now.`}
            steps={steps}
            begins={`${range} ago`}
            shaded={incidents.map(({ beganAt, closedAt = end }) => [
              Math.max(0, (beganAt - end + forMs) / forMs),
              Math.min(1, (closedAt - end + forMs) / forMs),
            ])}
          />
        ))}
      </div>
      <Table
        caption="Incidents"
        note="Alerts that were open in this range, the newest first"
        empty="No alert was open in this range."
        rows={incidents}
        columns={[
          {
            name: 'What',
            kind: 'wide',
            isBrief: 'below',
            show: ({ fault }) => <FaultLink fault={fault} />,
          },
          { name: 'Began', isBrief: true, show: ({ beganAt }) => <When at={beganAt} now={now} /> },
          {
            name: 'Resolved',
            show: ({ closedAt }) => (closedAt === undefined ? 'open' : <When at={closedAt} now={now} />),
          },
          {
            name: 'Lasted',
            kind: 'number',
            isBrief: true,
            show: ({ beganAt, closedAt = now }) => duration(closedAt - beganAt),
          },
        ]}
      />
    </Layout>
  )
}
