import { EventName } from '@pawl/base/pages/event-name'
import { Pill } from '@pawl/base/pages/pill'
import { ShortId } from '@pawl/base/pages/short-id'
import { type Column, Table } from '@pawl/base/pages/table'
import { Moment } from '@pawl/base/pages/words'
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
  /** Leaves out the case. */
  isOfCase?: boolean
}

export function DeliveryTable({ caption, deliveries, empty, isOfCase = false }: DeliveryTableProps) {
  const ofCase: Column<Delivery> = {
    name: 'Case',
    kind: 'id',
    show: ({ resourceId }) => <ShortId id={resourceId} href={addressOfCase(resourceId)} />,
  }
  return (
    <Table
      caption={caption}
      empty={empty}
      rows={deliveries}
      columns={[
        {
          name: 'Delivery',
          isBrief: true,
          show: ({ id }) => (
            <a id={`delivery-${id}`} href={addressOfDelivery(id)}>
              {id}
            </a>
          ),
        },
        { name: 'Event', isBrief: 'below', show: ({ eventType }) => <EventName type={eventType} /> },
        ...(isOfCase ? [] : [ofCase]),
        { name: 'Webhook', show: ({ organization, webhook }) => `${webhook} (${organization})` },
        { name: 'State', isBrief: true, show: ({ state }) => <DeliveryState state={state} /> },
        { name: 'Last answer', show: lastAnswer },
        { name: 'At (wall clock)', show: ({ attempts }) => <Moment at={attempts.at(-1)?.at} /> },
      ]}
    />
  )
}

/** Newest answer, with the number of attempts and the faults of chaos, if any. */
function lastAnswer({ attempts, chaos = [] }: Delivery) {
  return (
    <>
      {answerOf(attempts.at(-1))}
      {attempts.length > 1 && <span class="faint"> after {attempts.length} attempts</span>}
      {chaos.length > 0 && <span class="warn"> chaos: {chaos.join(', ')}</span>}
    </>
  )
}

export function DeliveryState({ state }: { state: Delivery['state'] }) {
  const looks = { pending: 'wait', delivered: 'good', given_up: 'bad' } as const
  return <Pill tone={looks[state]}>{state.replace('_', ' ')}</Pill>
}

/** Answer to an attempt, or its error. */
export function answerOf(attempt: Delivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return '–'
  return attempt.status === undefined ? (attempt.error ?? 'none') : String(attempt.status)
}
