import type { RequestHandler } from 'express'
import type { Ledger } from '../ledger/ledger.ts'
import type { Log } from '../log.ts'
import { readActor } from './actor.ts'
import { isKnownWork } from './known-work.ts'
import { RetryAsked, selectedBy } from './selected-work.ts'

export interface RetryWorkDeps {
  ledger: Pick<Ledger, 'resource' | 'openWork' | 'retryWork' | 'withoutHandler' | 'openErrors'>
  /** The handlers of the integration. */
  handlerNames: readonly string[]
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** POST /api/retry: makes parked work due again, and failed work due now instead of later; 404 where the resource, the handler or the error is unknown. Work of handlers that there are no more stays as it is, and is told with its number. With dry_run it only says what it would retry. */
export function createRetryWork({ ledger, handlerNames, enqueue, log }: RetryWorkDeps): RequestHandler {
  return async (req, res) => {
    const asked = RetryAsked.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with resource_id, handler or error, several of them, or with all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const work = selectedBy(asked.data)
    const { resourceId, handler, errorCode } = work
    if (!(await isKnownWork(work, { ledger, handlerNames }, res))) return
    const withoutHandler = handler === undefined ? await ledger.withoutHandler(handlerNames, resourceId) : []
    if (asked.data.dry_run) {
      const found = (await ledger.openWork({ ...work, handlerNames })).map((piece) => piece.resourceId)
      res.json({ retried: [...new Set(found)], withoutHandler })
      return
    }
    const retried = await ledger.retryWork({ ...work, handlerNames }, { actor: readActor(req) })
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, resource_id: resourceId, code: errorCode }, 'work is due now')
    // `released` is what it was called before.
    res.json({ retried, released: retried, withoutHandler })
  }
}
