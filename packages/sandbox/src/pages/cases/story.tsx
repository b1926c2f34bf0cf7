import { Moment } from '@pawl/base/pages/words'
import type { CasePart, StoryEntry } from '../../cases/read-case-story.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import { EventName } from '@pawl/base/pages/event-name'
import { addressOfDelivery, answerOf, DeliveryState } from '../deliveries/delivery-table.tsx'

const maxShown = 12

/** The story of a case: each change of status with its event and deliveries. Older entries are behind one line. */
export function Story({ story, deliveries }: { story: readonly StoryEntry[]; deliveries: readonly Delivery[] }) {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]))
  const earlier = story.slice(0, -maxShown)
  return (
    <>
      {earlier.length > 0 && (
        <details id="earlier">
          <summary>{earlier.length} earlier</summary>
          <Entries story={earlier} byId={byId} />
        </details>
      )}
      <Entries story={story.slice(-maxShown)} byId={byId} />
    </>
  )
}

function Entries({ story, byId }: { story: readonly StoryEntry[]; byId: ReadonlyMap<number, Delivery> }) {
  return (
    <ol class="story">
      {story.map(({ at, of, change, event }, index) => (
        <li key={index} class={change === undefined ? '' : 'succeeded'}>
          <Moment at={at} />{' '}
          {change !== undefined && (
            <>
              <Change of={of} {...change} />{' '}
            </>
          )}
          {event !== undefined && (
            <>
              emitted <EventName type={event.type} />
              {event.deliveryIds.map((id) => (
                <EventDeliveries key={id} id={id} delivery={byId.get(id)} />
              ))}
            </>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Both statuses of a change; of a part with its name. */
export function Change({ of, from, to }: { of: CasePart; from: string | null; to: string }) {
  return (
    <span>
      {of !== 'case' && `${of.replace('_', ' ')}: `}
      {from !== null && `${from} → `}
      <strong>{to}</strong>
    </span>
  )
}

function EventDeliveries({ id, delivery }: { id: number; delivery: Delivery | undefined }) {
  return (
    <>
      {', '}
      <span class="together">
        <a id={`story-delivery-${id}`} href={addressOfDelivery(id)}>
          delivery {id}
        </a>{' '}
        {delivery !== undefined && (
          <>
            <DeliveryState state={delivery.state} /> {`(${answerOf(delivery.attempts.at(-1))})`}
          </>
        )}
      </span>
    </>
  )
}
