import { Router } from 'express'
import type { AuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

const maxMatches = 50

/** What happened to a resource, and which resources have an id or carry a number. That number stands in the body, as addresses are logged on their way, and is not repeated. */
export function createResourceStories(read: AuditedReading): Router {
  const router = Router()
  serve(router, contract.find, ({ body, req }) => read.find(req, body, maxMatches))
  serve(router, contract.story, async ({ id, query, req }) => {
    const story = await read.story(req, id, query)
    if (story !== undefined) return story
    const message = 'No resource of this id is known here: `pawl reconcile --resource <id>` asks the service.'
    throw refusal('unknown_resource', message)
  })
  return router
}
