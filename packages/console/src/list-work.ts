import { Router } from 'express'
import { type KnownWorkDeps, selectKnown, totalOf } from './filtered-work.ts'
import type { DueWork, Work, WorkViews } from '@pawl/ledger/views/read-work'
import type { WorkFilter } from '@pawl/ledger/hot/work-filter'
import { contract } from './contract/contract.ts'
import { serve } from './serve.ts'

interface ListWorkDeps extends KnownWorkDeps {
  ledger: KnownWorkDeps['ledger'] & Pick<WorkViews, 'dueWork'>
}

/** Routes of parked work, and of work due now or later, with its errors. */
export function createListWork(deps: ListWorkDeps): Router {
  const { ledger } = deps

  /** Failed work that will be retried, or that waits. */
  async function readFailed({ state, ...filter }: WorkFilter, limit: number): Promise<DueWork[]> {
    const found: Work[] = []
    for (const each of state === undefined ? (['failing', 'waiting'] as const) : [state])
      if (found.length < limit)
        found.push(...(await ledger.work({ ...filter, state: each }, limit - found.length)).rows)
    return found.map(({ resourceId, kind, isClaimed, dueInMs = 0, handler, attempts, errorCode, errorMessage }) => {
      const failed = { handler, attempts, errorCode, errorMessage }
      return { resourceId, kind, dueInMs, isClaimed, failed }
    })
  }

  const router = Router()
  serve(router, contract.parked, async ({ query: { limit, ...asked } }) => {
    const filter = { ...(await selectKnown(asked, deps)), state: 'parked' } as const
    const { rows, next } = await ledger.work(filter, limit)
    return { parked: rows, count: next === undefined ? rows.length : totalOf(await ledger.workGroups(filter)) }
  })
  serve(router, contract.due, async ({ query: { limit, ...asked } }) => {
    const { resourceId, ...filter } = await selectKnown(asked, deps)
    const isOfAll = Object.values(filter).every((each) => each === undefined)
    const due = isOfAll ? await ledger.dueWork(resourceId, limit) : await readFailed({ resourceId, ...filter }, limit)
    return { due, isAll: new Set(due.map((each) => each.resourceId)).size < limit }
  })
  return router
}
