import type { z } from 'zod'
import { type Amendment, isUsual } from '@pawl/base/amendment'
import type { Log } from '@pawl/base/log'
import type { Actor } from '@pawl/ledger/audit/audit-entry'
import { resourcesOf } from '@pawl/ledger/hot/work-filter'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'
import type { Repairs } from '@pawl/ledger/upkeep/create-repairs'
import { countByHandler } from '@pawl/ledger/views/work-group'
import type { contract } from './contract/contract.ts'
import { maxListed } from './contract/work-contract.ts'
import { type KnownWorkDeps, readAllWork, selectKnown } from './filtered-work.ts'
import { refusal } from './serve.ts'

/** Why a system cannot write records as amended; undefined for a system that amends none. */
export type AmendFaultOf = (system: string) => ((amendment: Amendment) => string | undefined) | undefined

export interface RetryDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<FailedWork, 'retryWork' | 'countRetriable'> & Pick<Repairs, 'amend'>
  amendFaultOf: AmendFaultOf
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  log: Log
}

type RetryRoute = typeof contract.retry

/** Makes parked work due again, and failed work due now instead of later, up to the limit asked for; that of one resource also with its records written otherwise. Work of removed handlers is unchanged and counted. Throws `RequestRefused`. */
export type Retry = (asked: z.output<RetryRoute['body']>, actor: Actor) => Promise<z.output<RetryRoute['answer']>>

export function createRetry({ enqueue, log, amendFaultOf, ...known }: RetryDeps): Retry {
  const { ledger, handlerNames, systemNames } = known

  /** The systems at which the work failed, or any that may be amended where nothing is any more. Throws `RequestRefused` unless they can write records so. */
  async function amendedSystems(work: Parameters<typeof ledger.work>[0], amendment: Amendment): Promise<string[]> {
    const { rows } = await ledger.work(work, maxListed)
    const named = isUsual(amendment) ? systemNames : [...new Set(rows.map(({ system }) => system))]
    const systems = named.filter((system) => amendFaultOf(system) !== undefined)
    if (systems.length === 0)
      throw refusal('not_amended', 'No work of this resource failed at a system that can write its records otherwise.')
    for (const system of systems) {
      const fault = amendFaultOf(system)?.(amendment)
      if (fault !== undefined) throw refusal('not_amended', fault)
    }
    return systems
  }

  return async ({ limit, dry_run: isDryRun, amend: amendment, ...filter }, actor) => {
    const selected = await selectKnown(filter, known)
    const work = { ...selected, handlerNames }
    const gone = { ...selected, exceptHandlers: handlerNames }
    const withoutHandler = countByHandler(
      selected.resourceId === undefined ? await ledger.workGroups(gone) : await readAllWork(ledger, gone),
    )
    const systems = amendment && (await amendedSystems(work, amendment))
    if (isDryRun) {
      const matching = await ledger.countRetriable(work)
      const retried = Math.min(matching, limit ?? matching)
      return { retried, left: matching - retried, withoutHandler }
    }
    // First, so that a run that begins at once finds it.
    if (amendment && systems && selected.resourceId !== undefined)
      await ledger.amend({ resourceId: selected.resourceId, systems, amendment }, { actor })
    const { retried, left } = await ledger.retryWork(work, { actor }, limit)
    for (const id of resourcesOf(retried)) enqueue(id)
    const { resourceId, handler, system, errorCode: code } = selected
    log.info({ count: retried.length, handler, system, resource_id: resourceId, code }, 'work is due now')
    return { retried: retried.length, left, withoutHandler }
  }
}
