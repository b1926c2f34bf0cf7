import { Router } from 'express'
import { countByHandler } from '@pawl/ledger/views/work-groups'
import { resourcesOf } from '@pawl/ledger/hot/make-due'
import type { Log } from '@pawl/base/log'
import { type KnownWorkDeps, requireKnownWork } from './known-work.ts'
import { readAllWork, selectedBy } from './selected-work.ts'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import { contract } from './contract/contract.ts'
import { serve } from './serve.ts'

export interface RetryWorkDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'retryWork'>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

/** Makes parked work due again, and failed work due now instead of later. Work of removed handlers is unchanged and counted in the response. */
export function createRetryWork({ enqueue, log, ...known }: RetryWorkDeps): Router {
  const { ledger, handlerNames } = known
  const router = Router()
  serve(router, contract.retry, async ({ body, actor }) => {
    const work = selectedBy(body)
    const { resourceId, handler, system, errorCode } = work
    await requireKnownWork(work, known)
    const gone = { ...work, exceptHandlers: handlerNames }
    const withoutHandler = countByHandler(
      resourceId === undefined ? await ledger.workGroups(gone) : await readAllWork(ledger, gone),
    )
    if (body.dry_run)
      return { retried: resourcesOf(await readAllWork(ledger, { ...work, handlerNames })), withoutHandler }
    const retried = await ledger.retryWork({ ...work, handlerNames }, { actor })
    for (const id of retried) enqueue(id)
    log.info({ count: retried.length, handler, system, resource_id: resourceId, code: errorCode }, 'work is due now')
    return { retried, withoutHandler }
  })
  return router
}
