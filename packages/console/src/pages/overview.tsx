import { inCases } from '../faults/names.ts'
import type { Probed, Resumed } from '../read-result.ts'
import type { ShownTarget } from '../alerts/alerts.ts'
import type { LimitReading } from 'pawl-client/schemas/rate-policies'
import type { Spread, VitalsReading } from '../vitals.ts'
import { AlertTargets } from './alerts.tsx'
import { DeliveriesChart } from './chart.tsx'
import { Layout } from './console-layout.tsx'
import { ProbedNote, ResumedNote } from './result-notes.tsx'
import { Systems, type SystemState } from './systems.tsx'
import { LiveBar } from '@pawl/base/pages/live-bar'
import { queryOf } from '@pawl/base/pages/query'
import { Table } from '@pawl/base/pages/table'
import { ago, count, duration, plural } from '@pawl/base/pages/words'
import type { Verdict } from '../contract/status-verdict.ts'
import { VerdictBlock } from './verdict.tsx'
import type { Counts } from '@pawl/ledger/views/counts'
import type { Pause } from '@pawl/ledger/hot/pause'
import type { LeftOut } from '@pawl/ledger/hot/left-out'

/** Content of the overview at one moment. */
export interface OverviewReading {
  verdict: Verdict
  now: number
  /** Pieces of failing work. */
  failing: number
  /** Resources that wait for a system, if they wait for one system only. */
  waitingCases: number | undefined
  /** Resources that wait for a person. */
  waitingForPeople: number
  role: string
  /** The current pauses. */
  pauses: readonly Pause[]
  /** Systems that accept no writes, with the number of resources left out. */
  leftOut: readonly LeftOut[]
  /** Absent until first counted. */
  counts: Counts | undefined
  vitals: VitalsReading
  systems: (SystemState & { since: string })[]
  /** As of the last round of alerts. */
  alerts: { open: number; targets: readonly ShownTarget[] }
  queue: { name: string; inWork: number }
}

interface OverviewPageProps {
  reading: OverviewReading
  /** Results of the previous form. */
  probed: Probed | undefined
  resumed: Resumed | undefined
  /** Resources just named as the last missing ones. */
  named: number | undefined
}

/** The overview as a whole page. */
export function OverviewPage({ reading, probed, resumed, named }: OverviewPageProps) {
  return (
    <Layout title="Overview" at="/">
      <LiveBar address={`/live${queryOf({ named: named === undefined ? undefined : String(named) })}`} />
      <ProbedNote probed={probed} />
      <ResumedNote resumed={resumed} />
      <Overview reading={reading} named={named} />
    </Layout>
  )
}

/** The live parts of the overview, each marked `data-live`. No part holds an input, whose focus an update would take. */
export function Overview({ reading, named }: Pick<OverviewPageProps, 'reading' | 'named'>) {
  const { vitals, systems, alerts } = reading
  return (
    <>
      <div data-live="named">
        <NamedNote named={named} due={reading.counts?.due} />
      </div>
      <div data-live="verdict">
        <VerdictBlock verdict={reading.verdict} />
      </div>
      <div data-live="now">
        <Tiles {...reading} />
      </div>
      <div data-live="notes">
        {alerts.targets.length === 0 && <AlertTargets targets={[]} />}
        {reading.leftOut.map(({ system, count: left, reason }) => (
          <p class="note">
            Nothing was written to {system} for {count(left)} {plural(left, 'resource', 'resources')}: {reason}.{' '}
            <code>pawl ehr check</code> tells the remedy, <code>pawl ehr backfill</code> then writes them.
          </p>
        ))}
      </div>
      <h2>Deliveries</h2>
      <p class="faint">
        This process, last hour. All processes, and longer: <a href="/history">History</a>.
      </p>
      <div data-live="deliveries">
        <DeliveriesChart minutes={vitals.minutes} />
      </div>
      <div data-live="latency">
        <Table
          caption="How long it takes"
          note="The latest 1,000 of this process"
          rows={[
            { what: 'From a delivery to its acknowledgement', spread: vitals.acknowledged },
            { what: 'From an event to a synced handler', spread: vitals.synced },
          ]}
          columns={[
            { name: 'What', kind: 'wide', isBrief: true, show: ({ what }) => what },
            { name: 'Median', isBrief: true, kind: 'number', show: ({ spread }) => spreadAt(spread, 'p50') },
            { name: '95th percentile', kind: 'number', show: ({ spread }) => spreadAt(spread, 'p95') },
            { name: 'Measured', kind: 'number', show: ({ spread }) => count(spread?.count ?? 0) },
          ]}
        />
      </div>
      <div data-live="systems">
        <Systems systems={systems} more={[{ name: 'Details', kind: 'wide', show: ({ since }) => since }]} />
      </div>
      <div data-live="alerts">{alerts.targets.length > 0 && <AlertTargets targets={alerts.targets} />}</div>
      <div data-live="budget">
        <Table
          caption="API budget"
          note="Rate limits, as last reported by the service"
          rows={vitals.limits}
          columns={[
            { name: 'Policy', isBrief: true, show: ({ policy }) => policy },
            { name: 'Endpoint', kind: 'wide', show: ({ endpoint }) => <code>{endpoint}</code> },
            { name: 'Left', kind: 'number', isBrief: true, show: leftOf },
            { name: 'Reported', kind: 'number', show: ({ agoMs }) => ago(agoMs) },
          ]}
        />
      </div>
      <div data-live="facts">
        <SmallCounts {...reading} />
      </div>
    </>
  )
}

/** Resources just named, read from the service once none is due. */
function NamedNote({ named, due }: { named: number | undefined; due: number | undefined }) {
  if (named === undefined) return null
  const [one, many] = due === 0 ? ['was read', 'were read'] : ['is being read', 'are being read']
  return (
    <p class="note" role="status">
      {count(named)} {plural(named, `case ${one}`, `cases ${many}`)}.
    </p>
  )
}

/** Counts of work that is not in sync, coloured by severity unless 0. */
function Tiles({ counts, failing, waitingCases, pauses, waitingForPeople }: OverviewReading) {
  return (
    <dl class="tiles">
      <LinkedTile name="Parked" value={counts?.parked} unit="piece" tone="bad" page="/parked?state=parked" />
      <LinkedTile name="Failing" value={failing} unit="piece" tone="warn" page="/parked?state=failing" />
      <LinkedTile
        name={waitingCases === undefined ? 'Waiting' : `Waiting, of ${inCases(waitingCases)}`}
        value={counts?.waiting}
        unit="piece"
        tone="wait"
        page="/parked?state=waiting"
      />
      <LinkedTile name="Paused" value={pauses.length} tone="wait" page="/handlers" />
      <LinkedTile name="For people" value={waitingForPeople} page="/work-queue" />
    </dl>
  )
}

interface TileProps {
  name: string
  /** Absent until first counted. */
  value: number | undefined
  unit?: string
  /** Colour, unless the value is 0. */
  tone?: 'bad' | 'warn' | 'wait'
  page: string
}

function LinkedTile({ name, value, unit, tone, page }: TileProps) {
  return (
    <div class={value === 0 ? 'zero' : tone !== undefined && value !== undefined ? `tone ${tone}` : undefined}>
      <dt>{name}</dt>
      <dd>
        <a href={page}>
          {value === undefined ? '…' : count(value)}
          {unit !== undefined && value !== undefined && value > 0 && <small> {plural(value, unit)}</small>}
        </a>
      </dd>
    </div>
  )
}

/** Counts that call for no action. */
function SmallCounts({ counts, alerts, queue, role }: OverviewReading) {
  const age = (ms: number) => (ms > 0 ? duration(ms) : '–')
  const shown: [name: string, value: string][] = [
    ['Open alerts', count(alerts.open)],
    ...(counts === undefined
      ? []
      : ([
          ['Events', count(counts.events)],
          ['Resources', count(counts.resources)],
          ['Due', count(counts.due)],
          ['Oldest due for', age(counts.oldestDueMs)],
          ['Oldest waiting for', age(counts.oldestWaitingMs)],
          ['Oldest parked for', age(counts.oldestParkedMs)],
          ['To poll', count(counts.toPoll)],
          ['Not handled', count(counts.unhandled)],
        ] satisfies [string, string][])),
    ['In work here', count(queue.inWork)],
    ['Queue', queue.name],
    ['Role', role],
  ]
  return (
    <dl class="facts">
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function spreadAt(spread: Spread | undefined, at: 'p50' | 'p95'): string {
  return spread === undefined ? '–' : duration(spread[at])
}

function leftOf({ remaining, quota }: LimitReading): string {
  return quota === undefined ? count(remaining) : `${count(remaining)} of ${count(quota)}`
}
