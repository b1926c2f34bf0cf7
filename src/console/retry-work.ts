import type { RequestHandler } from 'express'
import { z } from 'zod'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { readActor } from './actor.ts'
import { isKnownWork } from './known-work.ts'

export interface RetryWorkDeps {
  ledger: Pick<Ledger, 'resource' | 'retryWork' | 'withoutHandler' | 'openErrors'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** One resource, one handler, one error, or all that is given; all work only when said so: an empty body must not retry everything by accident. */
const Filter = z.union([
  z.strictObject({ all: z.literal(true) }),
  z
    .strictObject({
      resource_id: z.string().min(1).optional(),
      handler: z.string().min(1).optional(),
      error: z.string().min(1).optional(),
    })
    .refine((filter) => Object.keys(filter).length > 0),
])

/** POST /api/retry: makes parked work due again, and failed work due now instead of later; 404 where the resource, the handler or the error is unknown. Work of handlers that there are no more stays as it is, and is told with its number. */
export function createRetryWork({ ledger, handlerNames, enqueue, log }: RetryWorkDeps): RequestHandler {
  return async (req, res) => {
    const filter = Filter.safeParse(req.body)
    if (!filter.success) {
      const message = 'Send a JSON object with resource_id, handler or error, several of them, or with all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resource_id: resourceId, handler, error: errorCode } = 'all' in filter.data ? {} : filter.data
    const work = { resourceId, handler, errorCode }
    if (!(await isKnownWork(work, { ledger, handlerNames }, res))) return
    const retried = await ledger.retryWork({ ...work, handlerNames }, { actor: readActor(req) })
    const withoutHandler = handler === undefined ? await ledger.withoutHandler(handlerNames, resourceId) : []
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, resource_id: resourceId, code: errorCode }, 'work is due now')
    // `released` is what it was called before.
    res.json({ retried, released: retried, withoutHandler })
  }
}
