import { Router } from 'express'
import { writeCursor } from './contract/cursor.ts'
import type { EventSummary } from '@pawl/ledger/views/lists'
import type { Ledger } from '@pawl/ledger/ledger'
import { contract } from './contract/contract.ts'
import { EventId } from './contract/resource-contract.ts'
import { refusal, serve } from './serve.ts'

/** GET /api/events, /api/events/:id and /api/resources, without content. */
export function createBrowse(ledger: Pick<Ledger, 'listEvents' | 'listResources' | 'resource'>): Router {
  const router = Router()
  serve(router, contract.events, async ({ query: { resource: resourceId, limit, ...filter } }) => {
    const { rows, next } = await ledger.listEvents({ ...filter, resourceId }, limit)
    return { events: rows.map(toJson), cursor: next }
  })
  serve(router, contract.event, async ({ id: given }) => {
    const id = EventId.safeParse(given).data
    const { rows } = id === undefined ? { rows: [] } : await ledger.listEvents({ before: id + 1 }, 1)
    const [event] = rows.map(toJson)
    if (event === undefined || event.id !== id) {
      const message = 'The ledger has no event of this number: it is wrong, or older than RETENTION_DAYS.'
      throw refusal('unknown_event', message)
    }
    const resource = event.resourceId === undefined ? undefined : await ledger.resource(event.resourceId)
    const handlers = (resource?.progress ?? []).map(({ handler, state, handledEventId }) => ({
      handler,
      state: handledEventId >= event.id ? ('handled' as const) : state === 'synced' ? ('waits' as const) : state,
    }))
    return { ...event, handlers }
  })
  serve(router, contract.resources, async ({ query: { limit, after, ...filter } }) => {
    const { rows, next } = await ledger.listResources(filter, limit, after)
    return { resources: rows, cursor: next && writeCursor(next) }
  })
  serve(router, contract.resource, async ({ id }) => {
    const resource = await ledger.resource(id)
    if (resource === undefined) throw refusal('not_found', 'The ledger knows no such resource.')
    return resource
  })
  return router
}

/** The resource is absent if the event has none. */
function toJson(event: EventSummary) {
  return { ...event, resourceId: event.resourceId === '' ? undefined : event.resourceId }
}
