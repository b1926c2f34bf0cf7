import { Table } from '@pawl/base/pages/table'
import { count } from '@pawl/base/pages/words'
import type { ClockReading } from '../platform/controls.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { caseKinds } from '../cases/case-kinds.ts'
import { CaseTable } from './cases/case-table.tsx'
import type { CaseReader, CaseRecord } from '../cases/read-cases.ts'
import { DeliveryTable } from './deliveries/delivery-table.tsx'
import { Tile } from '@pawl/base/pages/tile'
import { ClockTiles } from './clock-tiles.tsx'
import { addressOfControl } from './controls/controls-page.tsx'
import { Layout, LivePart } from './sandbox-layout.tsx'
import { queryOf } from '@pawl/base/pages/query'

interface OverviewPageProps {
  clock: ClockReading
  seed: number
  counts: ReturnType<CaseReader['counts']>
  deliveries: Record<Delivery['state'], number>
  hasWebhook: boolean
  isChaotic: boolean
  newestCases: readonly CaseRecord[]
  newestDeliveries: readonly Delivery[]
}

/** State of the sandbox, newest cases and deliveries. */
export function OverviewPage(props: OverviewPageProps) {
  const { clock, seed, counts, deliveries, hasWebhook, isChaotic, newestCases, newestDeliveries } = props
  return (
    <Layout title="Overview" at="/_sandbox/" live="/_sandbox/">
      <LivePart name="overview">
        <dl class="tiles">
          <ClockTiles clock={clock} />
          <Tile name="Delivered">{count(deliveries.delivered)}</Tile>
          <Tile name="Pending">{count(deliveries.pending)}</Tile>
          <Tile name="Given up">{count(deliveries.given_up)}</Tile>
          <Tile name="Chaos">{isChaotic ? <span class="warn">on</span> : 'off'}</Tile>
          <Tile name="Seed">{seed}</Tile>
        </dl>
        {!hasWebhook && (
          <p class="note">
            No organization has a webhook, so no event is delivered:{' '}
            <a id="add-webhook" href={addressOfControl('PUT /organizations/:organization/webhooks')}>
              add one
            </a>
            .
          </p>
        )}
        {newestCases.length === 0 ? (
          <p>
            No cases yet:{' '}
            <a id="create-first" href="/_sandbox/pages/create">
              create one
            </a>
            .
          </p>
        ) : (
          <Table
            caption="Cases by kind and status"
            rows={counts}
            columns={[
              { name: 'Kind', show: ({ kind }) => caseKinds[kind].name },
              {
                name: 'Status',
                show: ({ kind, status }) => (
                  <a id={`of-${kind}-${status}`} href={`/_sandbox/pages/cases${queryOf({ kind, status })}`}>
                    {status}
                  </a>
                ),
              },
              { name: 'Cases', kind: 'number', show: (group) => count(group.count) },
            ]}
          />
        )}
        {newestCases.length > 0 && <CaseTable caption="Newest cases" cases={newestCases} />}
        <DeliveryTable caption="Newest deliveries" deliveries={newestDeliveries} empty="No deliveries yet." />
      </LivePart>
    </Layout>
  )
}
