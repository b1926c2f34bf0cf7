import { type EventType, isEventType } from '../events/catalog.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { parseDelivery } from './parse-delivery.ts'

/** What became of a delivery that was taken in. */
export interface Taken {
  /** Of a duplicate: the event that it repeats. */
  eventId: number
  duplicate: boolean
  /** `unknown` stands for all types that are not in the catalogue. */
  eventType: EventType | 'unknown'
  /** `undefined` where the envelope had no usable `data.id`. */
  resourceId: string | undefined
  /** Whether the catalogue knows the type and the resource, so that a handler may follow it. */
  isKnown: boolean
}

/** Stores the raw body of a verified delivery; resolves once the commit is durable. Throws `DeliveryRefused`, and what the ledger throws. */
export type Intake = (body: Uint8Array) => Promise<Taken>

export function createIntake(ledger: Pick<Ledger, 'accept'>): Intake {
  return async (body) => {
    const delivery = parseDelivery(body)
    const { eventId, duplicate } = await ledger.accept(delivery)
    return {
      eventId,
      duplicate,
      eventType: isEventType(delivery.eventType) ? delivery.eventType : 'unknown',
      resourceId: delivery.resourceId,
      isKnown: delivery.kind !== undefined,
    }
  }
}
