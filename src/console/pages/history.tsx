import type { ShownAlert } from '../../alerts/alerts.ts'
import { addressOfRange, type HistoryRange, historyRanges } from '../history-ranges.ts'
import { Layout } from './console-layout.tsx'
import { Table } from '../../base/pages/table.tsx'
import { count, duration, When } from '../../base/pages/words.tsx'
import { groupBy } from '../../ledger/hot/group-by.ts'
import type { Tally, TallyName } from '../../ledger/views/tallies.ts'

interface HistoryPageProps {
  range: HistoryRange
  tallies: readonly Tally[]
  /** Alerts that were open within the range. */
  incidents: readonly ShownAlert[]
  now: number
}

/** One line of a chart. */
interface Series {
  name: string
  /** Class of its bars. */
  tone: 'stored' | 'duplicate' | 'refused'
  valueOf: (at: readonly Tally[]) => number
}

interface Chart {
  title: string
  series: readonly Series[]
  /** Writes a value; count by default. */
  write?: (value: number) => string
}

const sum = (name: TallyName) => (at: readonly Tally[]) =>
  at.reduce((total, each) => total + (each.name === name ? each.value : 0), 0)
const peak = (name: TallyName) => (at: readonly Tally[]) =>
  Math.max(0, ...at.filter((each) => each.name === name).map(({ value }) => value))
const mean = (of: TallyName, by: TallyName) => (at: readonly Tally[]) => sum(of)(at) / Math.max(1, sum(by)(at))

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
      { name: 'failed, tried again', tone: 'duplicate', valueOf: sum('failed') },
      { name: 'parked', tone: 'refused', valueOf: sum('given_up') },
    ],
  },
  {
    title: 'Backlog, at its highest',
    series: [
      { name: 'waiting', tone: 'stored', valueOf: peak('waiting') },
      { name: 'due', tone: 'duplicate', valueOf: peak('due') },
      { name: 'parked', tone: 'refused', valueOf: peak('parked') },
    ],
  },
  {
    title: 'From an event to a system in step, mean',
    series: [{ name: 'mean', tone: 'stored', valueOf: mean('sync_ms', 'synced') }],
    write: duration,
  },
]

/** Deliveries, runs, backlog and time to the systems over a range, counted from the ledger, with incidents marked. */
export function HistoryPage({ range, tallies, incidents, now }: HistoryPageProps) {
  const { forMs, stepMs } = historyRanges[range]
  const end = Math.floor(now / stepMs) * stepMs + stepMs
  const steps = Array.from({ length: forMs / stepMs }, (_, index) => end - forMs + index * stepMs)
  const byStep = groupBy(tallies, ({ at }) => String(Math.floor(at / stepMs) * stepMs))
  return (
    <Layout title="History" at="/history">
      <ul class="tabs" aria-label="Range">
        {(Object.keys(historyRanges) as HistoryRange[]).map((each) => (
          <li key={each}>
            <a href={addressOfRange(each)} {...(each === range && { 'aria-current': 'true' as const })}>
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
          <TallyChart
            chart={chart}
            steps={steps.map((at) => byStep.get(String(at)) ?? [])}
            shaded={incidents.map(({ beganAt, closedAt = end }) => [
              Math.max(0, (beganAt - end + forMs) / forMs),
              Math.min(1, (closedAt - end + forMs) / forMs),
            ])}
            range={range}
          />
        ))}
      </div>
      <Table
        caption="Incidents"
        note="Alerts that were open in this range, the newest first"
        empty="No alert was open in this range."
        rows={incidents}
        columns={[
          { name: 'What', kind: 'wide', show: ({ title, page }) => <a href={page}>{title}</a> },
          { name: 'Began', show: ({ beganAt }) => <When at={beganAt} now={now} /> },
          { name: 'Over', show: ({ closedAt }) => <When at={closedAt} now={now} /> },
          { name: 'Took', kind: 'number', show: ({ beganAt, closedAt = now }) => duration(closedAt - beganAt) },
        ]}
      />
    </Layout>
  )
}

const size = { width: 600, height: 170, left: 76, right: 6, top: 14, bottom: 26 }
const plotWidth = size.width - size.left - size.right
const plotHeight = size.height - size.top - size.bottom
const floor = size.top + plotHeight

interface TallyChartProps {
  chart: Chart
  /** What was counted in each step, oldest first. */
  steps: readonly (readonly Tally[])[]
  /** Parts of the width during which an alert was open. */
  shaded: readonly (readonly [from: number, to: number])[]
  range: string
}

function TallyChart({ chart: { title, series, write = count }, steps, shaded, range }: TallyChartProps) {
  const values = steps.map((step) => series.map(({ valueOf }) => valueOf(step)))
  const totals = values.map((each) => each.reduce((total, value) => total + value, 0))
  const top = Math.max(1, ...totals)
  const step = plotWidth / steps.length
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        role="img"
        aria-label={`${title} of the last ${range}: at most ${write(top)} in one step, ${write(totals.at(-1) ?? 0)} now.`}
      >
        {shaded.map(([from, to]) => (
          <rect
            class="incident"
            x={size.left + from * plotWidth}
            y={size.top}
            width={Math.max(2, (to - from) * plotWidth)}
            height={plotHeight}
          />
        ))}
        <line class="axis" x1={size.left} x2={size.width - size.right} y1={floor} y2={floor} />
        <text x={size.left - 6} y={size.top + 6} text-anchor="end">
          {write(top)}
        </text>
        <text x={size.left - 6} y={floor} text-anchor="end">
          0
        </text>
        <text x={size.left} y={size.height - 6}>
          {range} ago
        </text>
        <text x={size.width - size.right} y={size.height - 6} text-anchor="end">
          now
        </text>
        {values.flatMap((each, index) => {
          let y = floor
          return each.flatMap((value, at) => {
            const height = (value / top) * plotHeight
            y -= height
            return height === 0
              ? []
              : [
                  <rect
                    class={series[at]?.tone}
                    x={size.left + index * step}
                    y={y}
                    width={Math.max(1, step - 1)}
                    height={height}
                  />,
                ]
          })
        })}
      </svg>
      <ul class="legend">
        {series.map(({ name, tone }) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect class={tone} width="10" height="10" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}
