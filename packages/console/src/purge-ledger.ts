import { Router } from 'express'
import type { Keep } from '@pawl/ledger/upkeep/purge'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import type { CountViews } from '@pawl/ledger/views/counts'
import { contract } from './contract/contract.ts'
import { serve } from './serve.ts'

export interface PurgeLedgerDeps {
  ledger: Pick<CountViews, 'counts'> & Pick<Upkeep, 'purge' | 'wipe'>
  /** Limits of retention. */
  keep: Keep
}

/** Route of one short step of retention, or of counting it with dry_run; the returned cursor continues it. */
export function createPurgeLedger({ ledger, keep }: PurgeLedgerDeps): Router {
  const router = Router()
  serve(router, contract.purgeLedger, async ({ body: { cursor, dry_run: dryRun }, actor }) => {
    const isRecorded = cursor === undefined && !dryRun
    const { events: total } = await ledger.counts()
    const step = await ledger.purge(keep, cursor ?? 0, { dryRun, act: isRecorded ? { actor } : undefined })
    // If a reader holds the files, retention retries.
    if (step.cursor === undefined && !dryRun) await ledger.wipe()
    const { looked, cursor: next, ...removed } = step
    return { removed, looked, total, cursor: next }
  })
  return router
}
