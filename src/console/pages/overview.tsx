import type { ShownTarget } from '../../alerts/alerts.ts'
import type { LimitReading, Spread, VitalsReading } from '../vitals.ts'
import { AlertTargets } from './alerts.tsx'
import { DeliveriesChart } from './chart.tsx'
import { HoldBanner } from './hold.tsx'
import { Layout } from './console-layout.tsx'
import { Systems } from './systems.tsx'
import { Table } from '../../base/pages/table.tsx'
import { count, duration, plural } from '../../base/pages/words.tsx'
import type { Counts } from '../../ledger/views/counts.ts'
import type { Hold } from '../../ledger/hot/holds.ts'
import type { LeftOut } from '../../ledger/hot/left-out.ts'

/** Content of the overview at one moment. */
export interface OverviewReading {
  role: string
  /** The current holds. */
  holds: readonly Hold[]
  /** Systems that accept no writes, with the number of affected resources. */
  leftOut: readonly LeftOut[]
  /** Names and codes missing from the catalogue, first seen within the last day. */
  newDrift: number
  /** Absent while they are counted for the first time. */
  counts: Counts | undefined
  vitals: VitalsReading
  systems: { system: string; state: string; since: string }[]
  /** As of the last round, seconds ago. */
  alerts: { open: number; targets: readonly ShownTarget[] }
  queue: { name: string; inWork: number }
}

/** The overview as a whole page. */
export function OverviewPage({ reading }: { reading: OverviewReading }) {
  return (
    <Layout title="Overview" at="/">
      <div class="bar">
        <p data-live-source="/live">
          <span data-live-state role="status">
            As of when the page was loaded
          </span>
        </p>
        <button type="button" data-live-toggle hidden>
          Stop live updates
        </button>
      </div>
      <Overview reading={reading} />
    </Layout>
  )
}

/** The live parts of the overview: each is marked `data-live`, and none holds an element that keeps the focus for long. */
export function Overview({ reading }: { reading: OverviewReading }) {
  const { counts, vitals, systems, alerts, queue } = reading
  return (
    <>
      <div data-live="notes">
        <HoldBanner holds={reading.holds} />
        {reading.leftOut.map(({ system, count: left, reason }) => (
          <p class="note">
            Nothing was written to {system} for {count(left)} {plural(left, 'resource', 'resources')}: {reason}.{' '}
            <code>pawl ehr check</code> tells the remedy, <code>pawl ehr backfill</code> then writes them.
          </p>
        ))}
        {reading.newDrift > 0 && (
          <p class="note">
            <a href="/drift">
              {count(reading.newDrift)} {plural(reading.newDrift, 'name or code', 'names or codes')} missing from the
              catalogue
            </a>
            , first seen within the last 24 hours.
          </p>
        )}
      </div>
      <h2>Now</h2>
      <div data-live="now">
        <Tiles {...reading} />
      </div>
      <h2>Deliveries</h2>
      <p class="faint">Of this process, in the last hour.</p>
      <div data-live="deliveries">
        <DeliveriesChart minutes={vitals.minutes} />
      </div>
      <h2>How long it takes</h2>
      <div data-live="latency">
        <Table
          caption="The latest 1,000 of this process"
          empty=""
          rows={[
            { what: 'From a delivery to its acknowledgement', spread: vitals.acknowledged },
            { what: 'From an event to a handler that is synced', spread: vitals.synced },
          ]}
          columns={[
            { name: 'What', kind: 'wide', show: ({ what }) => what },
            { name: 'Half within', kind: 'number', show: ({ spread }) => spreadAt(spread, 'p50') },
            { name: '95 % within', kind: 'number', show: ({ spread }) => spreadAt(spread, 'p95') },
            { name: 'Measured', kind: 'number', show: ({ spread }) => count(spread?.count ?? 0) },
          ]}
        />
      </div>
      <h2>Systems</h2>
      <div data-live="systems">
        <Systems systems={systems} more={{ name: 'Since', kind: 'wide', show: ({ since }) => since }} />
      </div>
      <h2>Targets of alerts</h2>
      <div data-live="alerts">
        <AlertTargets targets={alerts.targets} />
      </div>
      <h2>API budget</h2>
      <div data-live="budget">
        <Table
          caption="Rate limits, as last reported by the service"
          empty="The service has reported no rate limit to this process yet."
          rows={vitals.limits}
          columns={[
            { name: 'Policy', show: ({ policy }) => policy },
            { name: 'Endpoint', kind: 'wide', show: ({ endpoint }) => <code>{endpoint}</code> },
            { name: 'Left', kind: 'number', show: leftOf },
            { name: 'Told', kind: 'number', show: ({ agoMs }) => `${duration(agoMs)} ago` },
          ]}
        />
      </div>
      <h2>Queue</h2>
      <div data-live="queue">
        <dl class="tiles">
          <Tile name="Carried by" value={queue.name} />
          <Tile name="In work here" value={count(queue.inWork)} />
          <Tile name="Due in the ledger" value={counts === undefined ? '…' : count(counts.due)} />
          <Tile name="Role" value={reading.role} />
        </dl>
      </div>
    </>
  )
}

function Tiles({ counts, alerts }: OverviewReading) {
  const show = (of: (counts: Counts) => number, write = count) => (counts === undefined ? '…' : write(of(counts)))
  const age = (ms: number) => (ms > 0 ? duration(ms) : '–')
  return (
    <dl class="tiles">
      <Tile name="Events" value={show(({ events }) => events)} />
      <Tile name="Resources" value={show(({ resources }) => resources)} />
      <Tile name="Due" value={show(({ due }) => due)} />
      <Tile name="Oldest due for" value={show(({ oldestDueMs }) => oldestDueMs, age)} />
      <Tile name="Waiting" value={show(({ waiting }) => waiting)} />
      <Tile name="Oldest waiting for" value={show(({ oldestWaitingMs }) => oldestWaitingMs, age)} />
      <Tile name="Parked" value={show(({ parked }) => parked)} />
      <Tile name="Oldest parked for" value={show(({ oldestParkedMs }) => oldestParkedMs, age)} />
      <Tile name="To poll" value={show(({ toPoll }) => toPoll)} />
      <Tile name="Not handled" value={show(({ unhandled }) => unhandled)} />
      <Tile name="Open alerts" value={count(alerts.open)} />
    </dl>
  )
}

function Tile({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

function spreadAt(spread: Spread | undefined, at: 'p50' | 'p95'): string {
  return spread === undefined ? '–' : duration(spread[at])
}

function leftOf({ remaining, quota }: LimitReading): string {
  return quota === undefined ? count(remaining) : `${count(remaining)} of ${count(quota)}`
}
