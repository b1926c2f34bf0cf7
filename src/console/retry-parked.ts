import type { RequestHandler } from 'express'
import { z } from 'zod'
import { readActor } from './actor.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'

export interface RetryParkedDeps {
  ledger: Pick<Ledger, 'resource' | 'retryParked' | 'withoutHandler'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** One resource, one handler, or both; all of it only when said so: an empty body must not retry everything by accident. */
const Filter = z.union([
  z.strictObject({ all: z.literal(true) }),
  z
    .strictObject({ resource_id: z.string().min(1).optional(), handler: z.string().min(1).optional() })
    .refine((filter) => Object.keys(filter).length > 0),
])

/** POST /api/parked/retry: makes parked work due again; 404 where the resource or the handler is unknown. Work of handlers that there are no more stays parked, and is told with its number. What was asked for is never repeated: who knows what was pasted there. */
export function createRetryParked({ ledger, handlerNames, enqueue, log }: RetryParkedDeps): RequestHandler {
  return async (req, res) => {
    const filter = Filter.safeParse(req.body)
    if (!filter.success) {
      const message = 'Send a JSON object with resource_id, handler or both, or with all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { resource_id: resourceId, handler } = 'all' in filter.data ? {} : filter.data
    if (handler !== undefined && !handlerNames.includes(handler)) {
      const message = `No handler of src/integration/index.ts has this name: name one of ${handlerNames.join(', ')}.`
      res.status(404).json({ error: { code: 'unknown_handler', message } })
      return
    }
    if (resourceId !== undefined && (await ledger.resource(resourceId)) === undefined) {
      const message = 'The ledger knows no resource of this id: `pawl reconcile --resource` makes one known.'
      res.status(404).json({ error: { code: 'unknown_resource', message } })
      return
    }
    const retried = await ledger.retryParked({ resourceId, handler, handlerNames }, { actor: readActor(req) })
    const withoutHandler = handler === undefined ? await ledger.withoutHandler(handlerNames, resourceId) : []
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, resource_id: resourceId }, 'parked work is due again')
    // `released` is what it was called before.
    res.json({ retried, released: retried, withoutHandler })
  }
}
