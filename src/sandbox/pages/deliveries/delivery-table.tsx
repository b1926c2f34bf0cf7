import { Table } from '../../../base/pages/table.tsx'
import { Moment } from '../../../base/pages/words.tsx'
import type { Delivery } from '../../webhooks/delivery.ts'
import { addressOfCase } from '../cases/addresses.ts'

/** Path of a delivery's page. */
export function addressOfDelivery(id: number): string {
  return `/_sandbox/pages/deliveries/${id}`
}

interface DeliveryTableProps {
  caption: string
  deliveries: readonly Delivery[]
  empty: string
}

export function DeliveryTable({ caption, deliveries, empty }: DeliveryTableProps) {
  return (
    <Table
      caption={caption}
      empty={empty}
      rows={deliveries}
      columns={[
        {
          name: 'Delivery',
          show: ({ id }) => (
            <a id={`delivery-${id}`} href={addressOfDelivery(id)}>
              {id}
            </a>
          ),
        },
        { name: 'Event', show: ({ eventType }) => <EventName type={eventType} /> },
        { name: 'Case', kind: 'id', show: ({ resourceId }) => <a href={addressOfCase(resourceId)}>{resourceId}</a> },
        { name: 'To', show: ({ organization, webhook }) => `${webhook} of ${organization}` },
        { name: 'State', show: ({ state }) => <DeliveryState state={state} /> },
        { name: 'Attempts', kind: 'number', show: ({ attempts }) => attempts.length },
        { name: 'Last answer', show: ({ attempts }) => answerOf(attempts.at(-1)) },
        { name: 'At (wall clock)', show: ({ attempts }) => <Moment at={attempts.at(-1)?.at} /> },
        { name: 'Chaos', show: ({ chaos = [] }) => chaos.join(', ') },
      ]}
    />
  )
}

/** An event type that wraps only after its dot in a narrow column. */
export function EventName({ type }: { type: string }) {
  const end = type.indexOf('.') + 1
  return (
    <code class="event">
      <span>{type.slice(0, end)}</span>
      <wbr />
      <span>{type.slice(end)}</span>
    </code>
  )
}

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  const looks = { pending: 'warn', delivered: 'good', given_up: 'bad' } as const
  return <span class={looks[state]}>{state.replace('_', ' ')}</span>
}

/** Answer to an attempt, or its error. */
export function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return '–'
  return attempt.status === undefined ? (attempt.error ?? 'none') : String(attempt.status)
}
