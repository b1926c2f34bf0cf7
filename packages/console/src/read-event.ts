import type { z } from 'zod'
import type { Ledger } from '@pawl/ledger/ledger'
import type { contract } from './contract/contract.ts'
import { EventId } from './contract/resource-contract.ts'
import type { EventSummary } from '@pawl/ledger/views/rows'

/** One event, with what became of it at each handler. */
export type ReadEvent = z.infer<typeof contract.event.answer>

export const noSuchEvent = 'The ledger has no event of this number: it is wrong, or older than RETENTION_DAYS.'

/** Reads an event by its number; undefined for text that is none, and for one that the ledger does not have. */
export async function readEvent(
  ledger: Pick<Ledger, 'listEvents' | 'resource'>,
  given: string,
): Promise<ReadEvent | undefined> {
  const id = EventId.safeParse(given).data
  const { rows } = id === undefined ? { rows: [] } : await ledger.listEvents({ before: id + 1 }, 1)
  const [event] = rows.map(toJson)
  if (event === undefined || event.id !== id) return undefined
  const resource = event.resourceId === undefined ? undefined : await ledger.resource(event.resourceId)
  const behind = event.state === 'due' ? ('waits' as const) : ('unfollowed' as const)
  const handlers = (resource?.progress ?? []).map(({ handler, state, handledEventId }) => ({
    handler,
    state: handledEventId >= event.id ? ('handled' as const) : state === 'synced' ? behind : state,
  }))
  return { ...event, handlers }
}

/** The resource is absent if the event has none. */
export function toJson(event: EventSummary) {
  return { ...event, resourceId: event.resourceId === '' ? undefined : event.resourceId }
}
