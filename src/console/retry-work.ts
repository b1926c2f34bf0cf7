import type { RequestHandler } from 'express'
import { countByHandler } from '../ledger/views/work-groups.ts'
import { resourcesOf } from '../ledger/hot/make-due.ts'
import type { Log } from '../base/log.ts'
import { readActor } from './actor.ts'
import { isKnownWork, type KnownWorkDeps } from './known-work.ts'
import { readAllWork, RetryAsked, selectedBy } from './selected-work.ts'
import type { FailedWork } from '../ledger/upkeep/create-failed-work.ts'

export interface RetryWorkDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'retryWork'>
  /** Tells a worker of a resource that is due again. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** POST /api/retry: makes parked work due again, and failed work due now instead of later; 404 where the resource, the handler, the system or the error is unknown. Work of handlers that there are no more stays as it is, and is told with its number. With dry_run it only says what it would retry. */
export function createRetryWork({ enqueue, log, ...known }: RetryWorkDeps): RequestHandler {
  const { ledger, handlerNames } = known
  return async (req, res) => {
    const asked = RetryAsked.safeParse(req.body)
    if (!asked.success) {
      const message =
        'Send a JSON object with resource_id, handler, system, error or state, several of them, or with all: true.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const work = selectedBy(asked.data)
    const { resourceId, handler, system, errorCode } = work
    if (!(await isKnownWork(work, known, res))) return
    const gone = { ...work, exceptHandlers: handlerNames }
    const withoutHandler = countByHandler(
      resourceId === undefined ? await ledger.workGroups(gone) : await readAllWork(ledger, gone),
    )
    if (asked.data.dry_run) {
      res.json({ retried: resourcesOf(await readAllWork(ledger, { ...work, handlerNames })), withoutHandler })
      return
    }
    const retried = await ledger.retryWork({ ...work, handlerNames }, { actor: readActor(req) })
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, system, resource_id: resourceId, code: errorCode }, 'work is due now')
    res.json({ retried, withoutHandler })
  }
}
