import { Router } from 'express'
import { writeCursor } from './contract/cursor.ts'
import type { Ledger } from '@pawl/ledger/ledger'
import { contract } from './contract/contract.ts'
import { noSuchEvent, readEvent, toJson } from './read-event.ts'
import { refusal, serve } from './serve.ts'

/** GET /api/events, /api/events/:id and /api/resources, without content. */
export function createBrowse(ledger: Pick<Ledger, 'listEvents' | 'listResources' | 'resource'>): Router {
  const router = Router()
  serve(router, contract.events, async ({ query: { resource: resourceId, limit, ...filter } }) => {
    const { rows, next } = await ledger.listEvents({ ...filter, resourceId }, limit)
    return { events: rows.map(toJson), cursor: next }
  })
  serve(router, contract.event, async ({ id }) => {
    const event = await readEvent(ledger, id)
    if (event === undefined) throw refusal('unknown_event', noSuchEvent)
    return event
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
