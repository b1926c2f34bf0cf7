import type { z } from 'zod'
import type { Log } from '@pawl/base/log'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import { resourcesOf } from '@pawl/ledger/hot/make-due'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import { countByHandler } from '@pawl/ledger/views/work-groups'
import type { contract } from './contract/contract.ts'
import { type KnownWorkDeps, readAllWork, selectKnown } from './filtered-work.ts'

export interface RetryDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'retryWork' | 'countRetriable'>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

type RetryRoute = typeof contract.retry

/** Makes parked work due again, and failed work due now instead of later, up to the limit asked for. Work of removed handlers is unchanged and counted. Throws `RequestRefused`. */
export type Retry = (asked: z.output<RetryRoute['body']>, actor: Actor) => Promise<z.output<RetryRoute['answer']>>

export function createRetry({ enqueue, log, ...known }: RetryDeps): Retry {
  const { ledger, handlerNames } = known
  return async ({ limit, dry_run: isDryRun, ...filter }, actor) => {
    const selected = await selectKnown(filter, known)
    const work = { ...selected, handlerNames }
    const gone = { ...selected, exceptHandlers: handlerNames }
    const withoutHandler = countByHandler(
      selected.resourceId === undefined ? await ledger.workGroups(gone) : await readAllWork(ledger, gone),
    )
    if (isDryRun) {
      const matching = await ledger.countRetriable(work)
      const retried = Math.min(matching, limit ?? matching)
      return { retried, left: matching - retried, withoutHandler }
    }
    const { retried, left } = await ledger.retryWork(work, { actor }, limit)
    for (const id of resourcesOf(retried)) enqueue(id)
    const { resourceId, handler, system, errorCode: code } = selected
    log.info({ count: retried.length, handler, system, resource_id: resourceId, code }, 'work is due now')
    return { retried: retried.length, left, withoutHandler }
  }
}
