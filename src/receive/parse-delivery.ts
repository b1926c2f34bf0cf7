import { eventKinds, isEventType } from 'pawl-client/events/event-types'
import { undocumented } from 'pawl-client/schemas/documented'
import { Envelope } from 'pawl-client/schemas/envelope'
import { isUsableId } from 'pawl-client/events/resource-name'
import { countValues, JsonUnbounded } from '@pawl/base/parse-json'
import { deliveryBounds, DeliveryRefused } from 'pawl-client/verify/delivery-refused'
import type { Delivery } from '@pawl/ledger/hot/accept'

/** Reads the envelope of a verified delivery. One with an unknown event type or unusable `data.id` is valid and stored without a kind. Throws `DeliveryRefused`. */
export function parseDelivery(body: Uint8Array): Delivery {
  return toDelivery(parseEnvelope(body), body)
}

/** Parses the envelope of a body; `reserve` gets the number of fields and elements before they take memory. Throws `DeliveryRefused`. */
export function parseEnvelope(body: Uint8Array, reserve: (values: number) => void = () => {}): Envelope {
  const parsed = Envelope.safeParse(parseJson(body, reserve))
  if (!parsed.success) throw new DeliveryRefused('not_an_envelope')
  return parsed.data
}

/** Converts an envelope to a delivery for the ledger. */
export function toDelivery({ event_type: eventType, data, event_id: eventKey }: Envelope, body: Uint8Array): Delivery {
  // Any other id stays in the body only.
  const resourceId = typeof data.id === 'string' && isUsableId(data.id) ? data.id : undefined
  const kind = resourceId !== undefined && isEventType(eventType) ? eventKinds[eventType] : undefined
  // An undocumented type stays in the body, which is sealed.
  const shownType = isEventType(eventType) ? eventType : undocumented
  return { resourceId, kind, eventType: shownType, eventKey, body, source: 'webhook' }
}

/** Drops a byte order mark. */
const utf8 = new TextDecoder()

function parseJson(body: Uint8Array, reserve: (values: number) => void): unknown {
  const text = utf8.decode(body)
  reserve(countOf(text))
  try {
    return JSON.parse(text)
  } catch {
    throw new DeliveryRefused('not_json')
  }
}

function countOf(text: string): number {
  try {
    return countValues(text, deliveryBounds)
  } catch (error) {
    throw error instanceof JsonUnbounded ? new DeliveryRefused(error.code) : error
  }
}
