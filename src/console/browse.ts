import { type Response, Router } from 'express'
import { z } from 'zod'
import { readCursor, writeCursor } from './cursor.ts'
import type { EventSummary } from '../ledger/views/lists.ts'
import type { Views } from '../ledger/views/create-views.ts'

const limit = z.coerce.number().int().min(1).max(1_000).default(50)
const id = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

const Events = z.object({
  type: z.string().min(1).optional(),
  resource: z.string().min(1).optional(),
  since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional(),
  before: id.optional(),
  after: id.optional(),
  limit,
})

const Resources = z.object({
  kind: z.enum(['prior_authorization', 'benefit_verification', 'provider_outreach']).optional(),
  state: z.enum(['parked', 'failing', 'waiting', 'due']).optional(),
  after: z.string().optional(),
  limit,
})

/** Behind which resource a list goes on. */
export const ResourceCursor = z.strictObject({ firstEventAt: z.number(), id: z.string() })

/** GET /api/events, /api/events/:id and /api/resources: what there is, without what it says. */
export function createBrowse(ledger: Pick<Views, 'listEvents' | 'listResources' | 'resource'>): Router {
  const router = Router()
  router.get('/api/events', async (req, res) => {
    const query = Events.safeParse(req.query)
    if (!query.success) return refuse(res, query.error)
    const { resource: resourceId, limit, ...filter } = query.data
    const { rows, next } = await ledger.listEvents({ ...filter, resourceId }, limit)
    res.json({ events: rows.map(toJson), cursor: next })
  })
  router.get('/api/events/:id', async (req, res) => {
    const wanted = id.safeParse(req.params.id)
    const { rows } = wanted.success ? await ledger.listEvents({ before: wanted.data + 1 }, 1) : { rows: [] }
    const [event] = rows.map(toJson)
    if (event === undefined || !wanted.success || event.id !== wanted.data) {
      const message = 'The ledger has no event of this number: it is wrong, or older than RETENTION_DAYS.'
      return void res.status(404).json({ error: { code: 'unknown_event', message } })
    }
    const resource = event.resourceId === undefined ? undefined : await ledger.resource(event.resourceId)
    const handlers = (resource?.progress ?? []).map(({ handler, state, handledEventId }) => ({
      handler,
      state: handledEventId >= event.id ? 'handled' : state === 'synced' ? 'waits' : state,
    }))
    res.json({ ...event, handlers })
  })
  router.get('/api/resources', async (req, res) => {
    const query = Resources.safeParse(req.query)
    if (!query.success) return refuse(res, query.error)
    const { limit, after, ...filter } = query.data
    const cursor = readCursor(ResourceCursor, after)
    if (after !== undefined && cursor === undefined) return refuseNames(res, ['after'])
    const { rows, next } = await ledger.listResources(filter, limit, cursor)
    res.json({ resources: rows, cursor: next && writeCursor(next) })
  })
  return router
}

/** Without a resource where it is about nothing. */
function toJson(event: EventSummary) {
  return { ...event, resourceId: event.resourceId === '' ? undefined : event.resourceId }
}

function refuse(res: Response, error: z.ZodError): void {
  refuseNames(res, [...new Set(error.issues.map(({ path }) => String(path[0])))])
}

function refuseNames(res: Response, names: readonly string[]): void {
  res.status(400).json({ error: { code: 'bad_request', message: `Not as it should be: ${names.join(', ')}.` } })
}
