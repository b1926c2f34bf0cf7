import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Ledger } from '../ledger/ledger.ts'
import { isKnownWork } from './known-work.ts'

export interface DueDeps {
  ledger: Pick<Ledger, 'resource' | 'waiting' | 'openErrors' | 'counts'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
}

const maxResources = 1_000

const Query = z.object({
  resource: z.string().min(1).optional(),
  handler: z.string().min(1).optional(),
  error: z.string().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(maxResources).default(100),
})

/** GET /api/due: work that is due now or later, with why it failed where it did; 404 where the resource, the handler or the error is unknown. */
export function createDue({ ledger, handlerNames }: DueDeps): RequestHandler {
  return async (req, res) => {
    const query = Query.safeParse(req.query)
    if (!query.success) {
      const message = `resource, handler and error are names; limit is a number from 1 to ${maxResources}.`
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resource: resourceId, handler, error: errorCode, limit } = query.data
    const work = { resourceId, handler, errorCode }
    if (!(await isKnownWork(work, { ledger, handlerNames }, res))) return
    const due = await ledger.waiting(work, limit)
    res.json({ due, isAll: new Set(due.map((each) => each.resourceId)).size < limit })
  }
}
