import { Router } from 'express'
import { z } from 'zod'
import { identifierFields } from '../service/schemas/identifiers.ts'
import { readCursor } from './story/cursor.ts'
import type { AuditedReading } from './audited-reading.ts'

const maxEntries = 1_000
const maxMatches = 50

const Part = z.object({
  limit: z.coerce.number().int().min(1).max(maxEntries).default(100),
  before: z
    .string()
    .transform((text, context) => {
      const cursor = readCursor(text)
      if (cursor === undefined) context.addIssue('It is not a cursor of a story.')
      return cursor
    })
    .optional(),
})

const Sought = z.strictObject({
  value: z.string().trim().min(1).max(200),
  fields: z.array(z.enum(identifierFields)).min(1).optional(),
})

const unknownResource = {
  code: 'unknown_resource',
  message: 'No resource of this id is known here: `pawl reconcile --resource <id>` asks the service.',
}

/** GET /api/resources/:id/story, what happened to a resource, and POST /api/resources/find, which resources have an id or carry a number. That number stands in the body, as addresses are logged on their way, and is not repeated. */
export function createResourceStories(read: AuditedReading): Router {
  const router = Router()
  router.post('/api/resources/find', async (req, res) => {
    const sought = Sought.safeParse(req.body)
    if (!sought.success) {
      const message = `Send a JSON object with value, the id or number, and perhaps fields, some of ${identifierFields.join(', ')}.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    res.json(await read.find(req, sought.data, maxMatches))
  })
  router.get('/api/resources/:id/story', async (req, res) => {
    const part = Part.safeParse(req.query)
    if (!part.success) {
      const message = `limit is a number from 1 to ${maxEntries}; before is what an earlier part of the story came with.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const story = await read.story(req, req.params.id, part.data)
    if (story === undefined) {
      res.status(404).json({ error: unknownResource })
      return
    }
    res.json(story)
  })
  return router
}
