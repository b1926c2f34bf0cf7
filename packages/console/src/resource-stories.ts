import { Router } from 'express'
import type { AuditedReading } from './audited-reading.ts'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

const maxMatches = 50

/** Routes of a resource's history, and of the search by an id or a number. The number is sent in the body, since addresses are logged, and never returned. */
export function createResourceStories(read: AuditedReading): Router {
  const router = Router()
  serve(router, contract.find, ({ body, req }) => read.find(req, body, maxMatches))
  serve(router, contract.story, async ({ id, query, req }) => {
    const story = await read.story(req, id, query)
    if (story !== undefined) return story
    const message = 'No resource of this id is known here: `pawl sync <id>` asks the service.'
    throw refusal('unknown_resource', message)
  })
  return router
}
