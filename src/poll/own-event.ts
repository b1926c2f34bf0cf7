import type { EventType } from '../events/catalog.ts'
import type { Delivery } from '../ledger/ledger.ts'
import type { ResourceKind } from '../resources/kinds.ts'

/** An event that no webhook told of, as the ledger takes it; `about` is what its body says beside its title and type. */
export function ownEvent(event: {
  resourceId: string
  kind: ResourceKind
  eventType: EventType
  source: 'poll' | 'api' | 'cli'
  title: string
  about: object
}): Delivery {
  const { title, about, ...rest } = event
  const body = Buffer.from(JSON.stringify({ title, event_type: rest.eventType, ...about }))
  return { ...rest, eventKey: undefined, body }
}
