import type { Prepared } from '../report/prepare-reports.ts'
import type { Figures, Report } from '../report/report.ts'
import type { Spread } from '../report/spread.ts'
import { type Grouping, groupings } from 'pawl-client/schemas/outcome-facts'
import { queryOf } from '@pawl/base/pages/query'
import { Layout } from './console-layout.tsx'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { Tile } from '@pawl/base/pages/tile'
import { count, duration, Moment, plural } from '@pawl/base/pages/words'

interface ReportPageProps {
  asked: { from?: string | undefined; to?: string | undefined; by?: Grouping | undefined }
  prepared?: Prepared
  /** Why the report is missing. */
  fault?: string
}

/** Results and durations of PAs and BVs in a period: numbers, and names of groups, none about a patient. */
export function ReportPage({ asked, prepared, fault }: ReportPageProps) {
  const { by } = asked
  return (
    <Layout title="Report" at="/report">
      <form class="filter" method="get" action="/report" aria-label="Period">
        <Day name="from" label="From (a date, or a date-time with its zone)" value={asked.from} />
        <Day name="to" label="To (exclusive)" value={asked.to} />
        <Select name="by" label="Grouped by" value={by} options={groupings} />
        <button type="submit">Show</button>
      </form>
      {fault !== undefined && (
        <p class="note bad" role="alert">
          {fault}
        </p>
      )}
      {prepared !== undefined && (
        <div id="figures" {...('counted' in prepared && askAgain(`/report${queryOf(asked)}`))}>
          {'report' in prepared ? (
            <WholeReport report={prepared.report} by={by} />
          ) : (
            <InWork counted={prepared.counted} address={`/report${queryOf(asked)}`} />
          )}
        </div>
      )}
    </Layout>
  )
}

const askAgain = (address: string) => ({
  'hx-get': address,
  'hx-select': '#figures',
  'hx-trigger': 'load delay:1s',
  'hx-swap': 'outerHTML',
})

function InWork({ counted, address }: { counted: number; address: string }) {
  return (
    <p role="status">
      {`The figures are being computed: ${count(counted)} ${plural(counted, 'resource')} counted so far. They appear here when done, or `}
      <a href={address}>reload</a>.
    </p>
  )
}

function WholeReport({ report, by }: { report: Report; by: Grouping | undefined }) {
  return (
    <>
      <p>
        {'Figures from '}
        <Moment at={report.from} />
        {' to '}
        <Moment at={report.to} />
        {`, by days of ${report.timeZone}. `}
        <a href={`/api/report${queryOf({ from: report.from, to: report.to, by, format: 'csv' })}`} download>
          Download as CSV
        </a>
      </p>
      <AllFigures figures={report.figures} />
      {by !== undefined && <Groups by={by} groups={report.groups} />}
    </>
  )
}

function Day({ name, label, value }: { name: string; label: string; value: string | undefined }) {
  return (
    <div>
      <label for={`period-${name}`}>{label}</label>
      <input id={`period-${name}`} name={name} type="text" value={value} maxLength={40} placeholder="2026-01-31" />
    </div>
  )
}

function AllFigures({ figures }: { figures: Figures }) {
  const { ended, appeals, transfers, verifications } = figures
  return (
    <>
      <dl class="tiles">
        <Tile name="Requested">{count(figures.requested)}</Tile>
        <Tile name="Submitted">{count(figures.submitted)}</Tile>
        <Tile name="Share approved">{percent(figures.approvedShare)}</Tile>
        <Tile name="Half decided within">{time(figures.turnaroundFromSubmission.medianMs)}</Tile>
        <Tile name="Transfers completed">{percent(transfers.completedShare)}</Tile>
        <Tile name="Benefits verified">{count(verifications.completed)}</Tile>
      </dl>
      <Numbers
        caption="Requests by how they ended"
        rows={[
          ['approved', ended.approved],
          ['denied', ended.denied],
          ['no authorization required', ended.notRequired],
          ['not submitted', ended.notSubmitted],
          ['ended otherwise', ended.other],
          ['failed', ended.failed],
          ['cancelled', ended.cancelled],
        ]}
      />
      <Times
        caption="How long approvals and denials took"
        rows={[
          ['from submission', figures.turnaroundFromSubmission],
          ['from the request', figures.turnaroundFromRequest],
        ]}
        more={[
          { name: 'Within 72 h', show: (of) => percent('within72Hours' in of ? of.within72Hours : null) },
          { name: 'Within 7 days', show: (of) => percent('within7Days' in of ? of.within7Days : null) },
        ]}
      />
      <Times
        caption="Approvals and denials from submission, by the priority of the request"
        rows={[
          ['urgent', figures.urgent],
          ['standard', figures.standard],
        ]}
        more={[
          { name: 'Within its clock', show: (of) => percent('withinClock' in of ? of.withinClock : null) },
          { name: 'Share approved', show: (of) => percent('approvedShare' in of ? of.approvedShare : null) },
        ]}
      />
      <Numbers caption="Denials by reason" rows={Object.entries(figures.deniedByReason)} />
      <Numbers
        caption="Requests that were not submitted, by reason"
        rows={Object.entries(figures.notSubmittedByReason)}
      />
      <Numbers
        caption="Appeals made in the period, and appeals that ended in it"
        rows={[
          ['made', appeals.made],
          ['approved', appeals.approved],
          ['denied', appeals.denied],
          ['ended otherwise', appeals.endedOtherwise],
        ]}
      />
      <Numbers
        caption="Prescription transfers by how they ended"
        rows={[
          ['completed', transfers.completed],
          ['failed', transfers.failed],
          ['cancelled', transfers.cancelled],
        ]}
      />
      <Numbers
        caption="Benefit verifications by how they ended"
        rows={[
          ['completed', verifications.completed],
          ['failed', verifications.failed],
          ['cancelled', verifications.cancelled],
        ]}
      />
      <Times
        caption="How long transfers, verifications and people took"
        rows={[
          ['a transfer', transfers.time],
          ['a benefit verification', verifications.turnaround],
          ['waiting for the practice', figures.waitingForPractice],
          ['waiting for the provider', figures.waitingForProvider],
        ]}
      />
    </>
  )
}

function Groups({ by, groups }: { by: Grouping; groups: Report['groups'] }) {
  return (
    <>
      <Table
        caption={`Figures by ${by}`}
        note="Groups of fewer than 11 resources are counted together, as others."
        empty="No groups."
        rows={groups}
        columns={[
          { name: by, kind: 'id', show: ({ name }) => name },
          { name: 'Resources', kind: 'number', show: ({ figures }) => count(figures.resources) },
          { name: 'Submitted', kind: 'number', show: ({ figures }) => count(figures.submitted) },
          { name: 'Approved', kind: 'number', show: ({ figures }) => count(figures.ended.approved) },
          { name: 'Denied', kind: 'number', show: ({ figures }) => count(figures.ended.denied) },
          { name: 'Share approved', kind: 'number', show: ({ figures }) => percent(figures.approvedShare) },
          {
            name: 'Median',
            kind: 'number',
            show: ({ figures }) => time(figures.turnaroundFromSubmission.medianMs),
          },
        ]}
      />
    </>
  )
}

interface NumbersProps {
  caption: string
  rows: readonly (readonly [string, number])[]
}

/** Numbers of resources, unless all are zero. */
function Numbers({ caption, rows }: NumbersProps) {
  if (rows.every(([, number]) => number === 0)) return null
  return (
    <Table
      caption={caption}
      empty=""
      rows={rows}
      columns={[
        { name: 'What', show: ([name]) => name },
        { name: 'Number', kind: 'number', show: ([, number]) => count(number) },
      ]}
    />
  )
}

type Turnaround = Figures['turnaroundFromRequest']

interface TimesProps {
  caption: string
  rows: readonly (readonly [string, Spread | Turnaround | Figures['urgent']])[]
  more?: readonly { name: string; show: (of: Spread | Turnaround | Figures['urgent']) => string }[]
}

function Times({ caption, rows, more = [] }: TimesProps) {
  const measured = rows.filter(([, of]) => of.count > 0)
  return (
    <Table
      caption={caption}
      empty="Nothing was measured."
      rows={measured}
      columns={[
        { name: 'What', show: ([name]) => name },
        { name: 'Median', kind: 'number', show: ([, of]) => time(of.medianMs) },
        { name: '90 % within', kind: 'number', show: ([, of]) => time(of.p90Ms) },
        { name: 'On average', kind: 'number', show: ([, of]) => time(of.meanMs) },
        ...more.map(({ name, show }) => ({
          name,
          kind: 'number' as const,
          show: ([, of]: readonly [string, Spread | Turnaround | Figures['urgent']]) => show(of),
        })),
        { name: 'Measured', kind: 'number', show: ([, of]) => count(of.count) },
      ]}
    />
  )
}

function percent(share: number | null): string {
  return share === null ? '–' : `${Math.round(share * 1_000) / 10} %`
}

function time(ms: number | null): string {
  return ms === null ? '–' : duration(ms)
}
