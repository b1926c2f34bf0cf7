import { Router } from 'express'
import type { Keep } from '../ledger/upkeep/purge.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { Views } from '../ledger/views/create-views.ts'
import { contract } from './contract/contract.ts'
import { serve } from './serve.ts'

export interface PurgeLedgerDeps {
  ledger: Pick<Views, 'counts'> & Pick<Upkeep, 'purge' | 'wipe'>
  /** What retention keeps. */
  keep: Keep
}

/** One short step of what retention does by itself, or with dry_run of counting it; asked again with the cursor that it gave, it goes on. */
export function createPurgeLedger({ ledger, keep }: PurgeLedgerDeps): Router {
  const router = Router()
  serve(router, contract.purgeLedger, async ({ body: { cursor, dry_run: dryRun }, actor }) => {
    const isNoted = cursor === undefined && !dryRun
    const { events: total } = await ledger.counts()
    const step = await ledger.purge(keep, cursor ?? 0, { dryRun, act: isNoted ? { actor } : undefined })
    // Where somebody reads it just now, retention tries again.
    if (step.cursor === undefined && !dryRun) await ledger.wipe()
    const { looked, cursor: next, ...removed } = step
    return { removed, looked, total, cursor: next }
  })
  return router
}
