import type { Archive } from '../platform/archive.ts'
import { codedRefusal } from '../platform/refusal.ts'
import type { Delivery } from './delivery.ts'

/** All pending deliveries, and the newest finished ones. */
export interface DeliveryLog {
  add(entry: Omit<Delivery, 'id' | 'state' | 'attempts'>): Delivery
  /** Call after changing a delivery. */
  changed(delivery: Delivery): void
  /** Throws `Refusal` 404 if the delivery does not exist or is too old. */
  get(id: number): Delivery
  /** Deletes all deliveries; ids continue. */
  clear(): void
  list(filter?: DeliveryFilter): Delivery[]
}

/** Selects deliveries that match all given fields. */
export type DeliveryFilter = Partial<Pick<Delivery, 'resourceId' | 'eventType' | 'organization' | 'webhook' | 'state'>>

const filterNames = ['resourceId', 'eventType', 'organization', 'webhook', 'state'] as const

/** Keeps at most `keep` finished deliveries, since each holds its body. Starts with the archived ones. */
export function createDeliveryLog(deps: { keep: number; archive: Archive }): DeliveryLog {
  const { keep, archive } = deps
  // The compiler cannot see that only this log writes deliveries.
  const kept = archive.list('delivery').map(({ value }) => value as Delivery)
  const entries = new Map(kept.map((delivery) => [delivery.id, delivery]))
  let last = kept.at(-1)?.id ?? 0

  const save = (delivery: Delivery) => archive.put('delivery', String(delivery.id), delivery)

  function dropOldest(): void {
    if (entries.size <= keep) return
    for (const [id, { state }] of entries) {
      if (state === 'pending') continue
      entries.delete(id)
      archive.remove('delivery', String(id))
      return
    }
  }

  function clear(): void {
    for (const id of entries.keys()) archive.remove('delivery', String(id))
    entries.clear()
  }

  return {
    add: (entry) => {
      const delivery: Delivery = { id: ++last, ...entry, state: 'pending', attempts: [] }
      entries.set(delivery.id, delivery)
      save(delivery)
      dropOldest()
      return delivery
    },
    changed: save,
    get: (id) => {
      const delivery = entries.get(id)
      if (delivery !== undefined) return delivery
      throw codedRefusal(404, {
        title: 'Unknown delivery',
        description: `There is no delivery ${id}, or it is too old; list the deliveries to see the retained ones.`,
        code: 'unknown_delivery',
      })
    },
    clear,
    list: (filter = {}) =>
      [...entries.values()].filter((delivery) =>
        filterNames.every((name) => delivery[name] === (filter[name] ?? delivery[name])),
      ),
  }
}
