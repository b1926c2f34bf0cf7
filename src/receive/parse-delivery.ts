import { catalog, isEventType } from '../events/catalog.ts'
import { Envelope } from '../events/envelope.ts'
import type { Delivery } from '../ledger/ledger.ts'
import { isUsableId } from '../events/resource-name.ts'
import { DeliveryRefused } from './delivery-refused.ts'

/** Reads the envelope of a verified delivery. An unknown event type or an unusable `data.id` is no error: it is stored without a kind. Throws `DeliveryRefused`. */
export function parseDelivery(body: Uint8Array): Delivery {
  return toDelivery(parseEnvelope(body), body)
}

/** The envelope of a body. Throws `DeliveryRefused`. */
export function parseEnvelope(body: Uint8Array): Envelope {
  const parsed = Envelope.safeParse(parseJson(body))
  if (!parsed.success) throw new DeliveryRefused('not_an_envelope')
  return parsed.data
}

/** What the ledger takes of a delivery. */
export function toDelivery({ event_type: eventType, data, event_id: eventKey }: Envelope, body: Uint8Array): Delivery {
  // Any other id is kept in the body only.
  const resourceId = typeof data.id === 'string' && isUsableId(data.id) ? data.id : undefined
  const kind = resourceId !== undefined && isEventType(eventType) ? catalog[eventType] : undefined
  return { resourceId, kind, eventType, eventKey, body, source: 'webhook' }
}

/** Leaves out a byte order mark. */
const utf8 = new TextDecoder()

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body))
  } catch {
    throw new DeliveryRefused('not_json')
  }
}
