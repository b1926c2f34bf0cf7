import { Table } from '@pawl/base/pages/table'
import { count, Moment } from '@pawl/base/pages/words'
import { groupBy } from '@pawl/ledger/hot/group-by'
import type { Tally, TallyName } from '@pawl/ledger/views/tally-of-time'
import { type HistoryRange, historyRanges } from '../ranges.ts'
import { type Series, StackedBars } from './stacked-bars.tsx'

/** One bar of a chart over time: when it begins, and what was counted within it. */
export interface TimeStep {
  at: number
  tallies: readonly Tally[]
}

/** The steps of a range that ends now, oldest first. */
export function stepsOf(tallies: readonly Tally[], range: HistoryRange, now: number): TimeStep[] {
  const { forMs, stepMs } = historyRanges[range]
  const end = Math.floor(now / stepMs) * stepMs + stepMs
  const byStep = groupBy(tallies, ({ at }) => String(Math.floor(at / stepMs) * stepMs))
  return Array.from({ length: forMs / stepMs }, (_, index) => {
    const at = end - forMs + index * stepMs
    return { at, tallies: byStep.get(String(at)) ?? [] }
  })
}

const peak =
  (name: TallyName) =>
  ({ tallies }: TimeStep) =>
    Math.max(0, ...tallies.filter((each) => each.name === name).map(({ value }) => value))

export const backlogTitle = 'Backlog, at its highest'

/** The backlog's parts, each by its highest value within a step. */
export const backlogSeries: readonly Series<TimeStep>[] = [
  { name: 'waiting', tone: 'stored', valueOf: peak('waiting') },
  { name: 'due', tone: 'duplicate', valueOf: peak('due') },
  { name: 'parked', tone: 'refused', valueOf: peak('parked') },
]

/** The backlog of the last 7 days, as far back as the ledger keeps it, as bars with a table behind; nothing if there was none. */
export function Backlog({ tallies, now }: { tallies: readonly Tally[]; now: number }) {
  const steps = stepsOf(tallies, '7 d', now)
  const rows = steps.filter((step) => backlogSeries.some(({ valueOf }) => valueOf(step) > 0)).toReversed()
  if (rows.length === 0) return null
  return (
    <div class="charts">
      <div>
        <StackedBars
          title={`${backlogTitle}, last 7 days`}
          describe={(top, last) => `Backlog of the last 7 days: at most ${top} in two hours, ${last} now.`}
          series={backlogSeries}
          steps={steps}
          begins="7 d ago"
        />
        <details>
          <summary>As a table</summary>
          <Table
            caption="Backlog by two hours"
            isNamedAbove
            rows={rows}
            columns={[
              { name: 'From', isBrief: true, show: ({ at }) => <Moment at={at} /> },
              ...backlogSeries.map(({ name, valueOf }) => ({
                name: name.charAt(0).toUpperCase() + name.slice(1),
                kind: 'number' as const,
                show: (step: TimeStep) => count(valueOf(step)),
              })),
            ]}
          />
        </details>
      </div>
    </div>
  )
}
