import { Table } from '@pawl/base/pages/table'
import { duration, Moment } from '@pawl/base/pages/words'
import type { Delivery } from '../../webhooks/delivery.ts'
import { addressOfCase } from '../cases/addresses.ts'
import { EventName } from '@pawl/base/pages/event-name'
import { ButtonForm } from '../form.tsx'
import { Tile } from '@pawl/base/pages/tile'
import { pretty } from '../pretty.ts'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { addressOfDelivery, answerOf, DeliveryState } from './delivery-table.tsx'

/** One delivery: receiver, attempts with answers, and content. `isRepeat`: just redelivered by hand. */
export function DeliveryPage({ delivery, isRepeat }: { delivery: Delivery; isRepeat: boolean }) {
  const { id, eventType, resourceId, organization, webhook, state, attempts, copyOf, chaos = [], body } = delivery
  const address = addressOfDelivery(id)
  return (
    <Layout title={`Delivery ${id}`} at="/_sandbox/pages/deliveries" live={address}>
      {isRepeat && copyOf !== undefined && (
        <p class="note" role="status">
          Delivery {copyOf} was sent again as delivery {id}.
        </p>
      )}
      <LivePart name="delivery">
        <dl class="tiles">
          <Tile name="State">
            <DeliveryState state={state} />
          </Tile>
          <Tile name="Event">
            <EventName type={eventType} />
          </Tile>
          <Tile name="Case">
            <a id="case" href={addressOfCase(resourceId)}>
              <code>{resourceId}</code>
            </a>
          </Tile>
          <Tile name="Webhook">
            {webhook} ({organization})
          </Tile>
          {copyOf !== undefined && (
            <Tile name="Repeats">
              <a id="original" href={addressOfDelivery(copyOf)}>
                Delivery {copyOf}
              </a>
            </Tile>
          )}
          {chaos.length > 0 && <Tile name="Chaos">{chaos.join(', ')}</Tile>}
        </dl>
        <Table
          caption="Attempts, oldest first"
          empty="None yet."
          rows={attempts}
          columns={[
            { name: 'At', show: ({ at }) => <Moment at={at} /> },
            { name: 'Took', kind: 'number', show: ({ durationMs }) => duration(durationMs) },
            { name: 'Answer', show: answerOf },
            { name: 'Headers', kind: 'wide', show: ({ headers }) => headers && <Headers headers={headers} /> },
          ]}
        />
      </LivePart>
      <ButtonForm action={`${address}/redeliver`} tone="act">
        Deliver again
      </ButtonForm>
      <h2>Body</h2>
      <p class="faint">
        {Buffer.byteLength(body)} bytes, sent without the line breaks shown here; every attempt sends the same bytes.
      </p>
      <pre class="tall" tabIndex={0} aria-label="Body" role="region">
        <code>{pretty(body)}</code>
      </pre>
    </Layout>
  )
}

function Headers({ headers }: { headers: Record<string, string> }) {
  return (
    <dl class="content">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
  )
}
