import { Select } from '@pawl/base/pages/select'
import { type Delivery, deliveryStates } from '../../webhooks/delivery.ts'
import { eventTypes } from '../../webhooks/settings.ts'
import { Field } from '../form.tsx'
import { Layout, LivePart } from '../sandbox-layout.tsx'
import { DeliveryTable } from './delivery-table.tsx'
import { OlderLink } from '@pawl/base/pages/older-link'

/** Filter of the page. */
export interface ShownFilter {
  type?: string | undefined
  state?: string | undefined
  resource?: string | undefined
}

interface DeliveriesPageProps {
  filter: ShownFilter
  deliveries: readonly Delivery[]
  /** Path of the next page. */
  next: string | undefined
  /** Path of this page. */
  address: string
}

/** The delivery log, newest first. */
export function DeliveriesPage({ filter, deliveries, next, address }: DeliveriesPageProps) {
  return (
    <Layout title="Deliveries" at="/_sandbox/pages/deliveries" live={address}>
      <form method="get" action="/_sandbox/pages/deliveries" class="filter" aria-label="Filter">
        <Select name="type" label="Event" value={filter.type} options={eventTypes} />
        <Select name="state" label="State" value={filter.state} options={deliveryStates} />
        <Field name="resource" label="Case" value={filter.resource} />
        <button type="submit">Filter</button>
      </form>
      <LivePart name="deliveries">
        <DeliveryTable
          caption="Deliveries, newest first"
          deliveries={deliveries}
          empty="No deliveries match. An organization without a webhook has no deliveries."
        />
        <OlderLink href={next} />
      </LivePart>
    </Layout>
  )
}
