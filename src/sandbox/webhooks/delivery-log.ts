import type { Archive } from '../platform/archive.ts'
import { codedRefusal } from '../platform/refusal.ts'
import type { Delivery } from './delivery.ts'

/** All pending deliveries, and the newest finished ones. */
export interface DeliveryLog {
  add(entry: Omit<Delivery, 'id' | 'state' | 'attempts'>): Delivery
  /** Call after changing a delivery. */
  save(delivery: Delivery): void
  /** Throws `Refusal` 404 when it does not exist or is too old. */
  get(id: number): Delivery
  /** Forgets all of them; ids go on from where they were. */
  clear(): void
  list(filter?: DeliveryFilter): Delivery[]
}

/** Which deliveries are meant: those that are all of this. */
export type DeliveryFilter = Partial<Pick<Delivery, 'resourceId' | 'eventType' | 'organization' | 'webhook' | 'state'>>

const filterNames = ['resourceId', 'eventType', 'organization', 'webhook', 'state'] as const

/** Creates a log that keeps at most `keep` finished deliveries, since each holds its body; it starts with the archived ones. */
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

  return {
    add: (entry) => {
      const delivery: Delivery = { id: ++last, ...entry, state: 'pending', attempts: [] }
      entries.set(delivery.id, delivery)
      save(delivery)
      dropOldest()
      return delivery
    },
    save,
    get: (id) => {
      const delivery = entries.get(id)
      if (delivery !== undefined) return delivery
      throw codedRefusal(404, {
        title: 'Unknown delivery',
        description: `There is no delivery ${id}, or it is too old; list the deliveries to see those kept.`,
        code: 'unknown_delivery',
      })
    },
    clear: () => {
      for (const id of entries.keys()) archive.remove('delivery', String(id))
      entries.clear()
    },
    list: (filter = {}) =>
      [...entries.values()].filter((delivery) =>
        filterNames.every((name) => delivery[name] === (filter[name] ?? delivery[name])),
      ),
  }
}
