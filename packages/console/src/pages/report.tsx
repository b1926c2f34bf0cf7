import type { Prepared } from '../report/prepare-reports.ts'
import type { Figures, Report } from '../report/report.ts'
import { groupCells, groupTitles, sayBehind, type Section, sectionsOf, titleOf, valueOf } from '../report/lines.ts'
import { type Grouping, groupings } from 'pawl-client/schemas/outcome-facts'
import { queryOf } from '@pawl/base/pages/query'
import { Backlog } from './backlog.tsx'
import { type Bar, Bars } from './bars.tsx'
import { Layout } from './console-layout.tsx'
import { refreshing } from './forms.tsx'
import { Select } from '@pawl/base/pages/select'
import { Table } from '@pawl/base/pages/table'
import { Tile } from '@pawl/base/pages/tile'
import { count, duration, Moment, plural } from '@pawl/base/pages/words'

interface ReportPageProps {
  query: { from?: string | undefined; to?: string | undefined; by?: Grouping | undefined }
  prepared?: Prepared
  /** Backlog of the last days. */
  backlog?: Parameters<typeof Backlog>[0]
  /** Why the report is missing. */
  fault?: string
}

/** Results and durations of PAs and BVs in a period: only numbers and names of groups, no patient data. */
export function ReportPage({ query, prepared, backlog, fault }: ReportPageProps) {
  const { by } = query
  return (
    <Layout title="Report" at="/report">
      <form class="filter" method="get" action="/report" aria-label="Period">
        <Day name="from" label="From (a date, or a date-time with its zone)" value={query.from} />
        <Day name="to" label="To (exclusive)" value={query.to} />
        <Select name="by" label="Grouped by" value={by} options={groupings} />
        <button type="submit">Show</button>
      </form>
      {fault !== undefined && (
        <p class="note bad" role="alert">
          {fault}
        </p>
      )}
      {prepared !== undefined && (
        <div
          {...('counted' in prepared
            ? refreshing('figures', `/report${queryOf(query)}`, 'load delay:1s')
            : { id: 'figures' })}
        >
          {'report' in prepared ? (
            <WholeReport report={prepared.report} by={by} />
          ) : (
            <InWork counted={prepared.counted} address={`/report${queryOf(query)}`} />
          )}
        </div>
      )}
      {backlog !== undefined && <Backlog {...backlog} />}
    </Layout>
  )
}

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
      {report.behindMs !== undefined && <p class="note warn">{sayBehind(report.behindMs)}</p>}
      <AllFigures figures={report.figures} />
      {by !== undefined && (
        <>
          <div class="charts">
            <Bars title={`Share approved, by ${by}`} bars={approvals(report.groups)} />
          </div>
          <Groups by={by} groups={report.groups} />
        </>
      )}
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
  const { transfers, verifications, turnaroundFromSubmission } = figures
  const share = (value: number | null) => valueOf({ value, unit: 'share' })
  const { medianMs } = turnaroundFromSubmission
  return (
    <>
      <dl class="tiles">
        <Tile name="Requested">{count(figures.requested)}</Tile>
        <Tile name="Submitted">{count(figures.submitted)}</Tile>
        <Tile name="Share approved">{share(figures.approvedShare)}</Tile>
        <Tile name="Half decided within">{medianMs === null ? '–' : duration(medianMs)}</Tile>
        <Tile name="Transfers completed">{share(transfers.completedShare)}</Tile>
        <Tile name="Benefits verified">{count(verifications.completed)}</Tile>
      </dl>
      <div class="charts">
        <Bars title="How prior authorizations ended" bars={endings(figures)} />
        <Bars title="Half took no longer than" bars={medians(figures)} />
      </div>
      {sectionsOf(figures).map(({ title, lines }) => (
        <Lines title={title} lines={lines} />
      ))}
    </>
  )
}

function endings({ ended }: Figures): Bar[] {
  const named: [name: string, value: number][] = [
    ['approved', ended.approved],
    ['denied', ended.denied],
    ['not required', ended.notRequired],
    ['not submitted', ended.notSubmitted],
    ['otherwise', ended.other],
    ['failed', ended.failed],
    ['cancelled', ended.cancelled],
  ]
  return named.flatMap(([name, value]) => (value === 0 ? [] : { name, value, says: count(value) }))
}

function medians(figures: Figures): Bar[] {
  const named: [name: string, of: { medianMs: number | null }][] = [
    ['from request to decision', figures.turnaroundFromRequest],
    ['from submission to decision', figures.turnaroundFromSubmission],
    ['urgent, from submission', figures.urgent],
    ['waiting for the practice', figures.waitingForPractice],
    ['waiting for the prescriber', figures.waitingForProvider],
    ['transfer to the pharmacy', figures.transfers.time],
    ['benefit verification', figures.verifications.turnaround],
  ]
  return named.flatMap(([name, { medianMs }]) =>
    medianMs === null ? [] : { name, value: medianMs, says: duration(medianMs) },
  )
}

/** Groups with a decision, the largest first; the table has all. */
function approvals(groups: Report['groups']): Bar[] {
  return groups
    .flatMap(({ name, figures: { approvedShare } }) =>
      approvedShare === null
        ? []
        : { name, value: approvedShare, says: valueOf({ value: approvedShare, unit: 'share' }) },
    )
    .slice(0, 12)
}

/** The figures of one topic, unless there are none. */
function Lines({ title, lines }: Section) {
  const shown = lines.filter(({ value }) => value !== null && value !== 0)
  if (shown.length === 0) return null
  return (
    <Table
      caption={title}
      rows={shown}
      columns={[
        { name: 'Figure', show: titleOf },
        { name: 'Value', kind: 'number', show: valueOf },
      ]}
    />
  )
}

function Groups({ by, groups }: { by: Grouping; groups: Report['groups'] }) {
  return (
    <Table
      caption={`Figures by ${by}`}
      note="Groups of fewer than 11 resources are counted together, as others."
      empty="No groups."
      rows={groups.map(({ name, figures }) => ({ name, cells: groupCells(figures) }))}
      columns={[
        { name: by, kind: 'id', show: ({ name }) => name },
        ...groupTitles.map((title, at) => ({
          name: title.charAt(0).toUpperCase() + title.slice(1),
          kind: 'number' as const,
          show: ({ cells }: { cells: readonly string[] }) => cells[at],
        })),
      ]}
    />
  )
}
