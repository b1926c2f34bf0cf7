import type { Delivery } from './controls.ts'
import { codedRefusal } from './errors.ts'

/** The deliveries that are pending, and the newest ones that are not. */
export interface DeliveryLog {
  add(entry: Omit<Delivery, 'id' | 'state' | 'attempts'>): Delivery
  /** Throws `Refusal` 404 when there is none, or it was dropped for its age. */
  get(id: number): Delivery
  list(filter?: { resourceId?: string; eventType?: string }): Delivery[]
}

/** Makes a log that keeps `keep` finished deliveries, since each holds its body. */
export function createDeliveryLog(deps: { keep: number }): DeliveryLog {
  const entries = new Map<number, Delivery>()
  let last = 0

  function dropOldest(): void {
    if (entries.size <= deps.keep) return
    for (const [id, { state }] of entries) {
      if (state === 'pending') continue
      entries.delete(id)
      return
    }
  }

  return {
    add: (entry) => {
      const delivery: Delivery = { id: ++last, ...entry, state: 'pending', attempts: [] }
      entries.set(delivery.id, delivery)
      dropOldest()
      return delivery
    },
    get: (id) => {
      const delivery = entries.get(id)
      if (delivery !== undefined) return delivery
      throw codedRefusal(404, {
        title: 'Unknown delivery',
        description: `There is no delivery ${id}, or it is too old; list the deliveries to see those kept.`,
        code: 'unknown_delivery',
      })
    },
    list: (filter = {}) =>
      [...entries.values()].filter(
        ({ resourceId, eventType }) =>
          (filter.resourceId === undefined || filter.resourceId === resourceId) &&
          (filter.eventType === undefined || filter.eventType === eventType),
      ),
  }
}
