import { Router } from 'express'
import { z } from 'zod'
import { readActor } from './actor.ts'
import type { Keep } from '../ledger/upkeep/purge.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { Views } from '../ledger/views/create-views.ts'

export interface PurgeLedgerDeps {
  ledger: Pick<Views, 'counts'> & Pick<Upkeep, 'purge' | 'wipe'>
  /** What retention keeps. */
  keep: Keep
}

const Asked = z.strictObject({ cursor: z.int().min(0).optional(), dry_run: z.boolean().default(false) })

/** POST /api/ledger/purge: one short step of what retention does by itself, or with dry_run of counting it; asked again with the cursor that it gave, it goes on. */
export function createPurgeLedger({ ledger, keep }: PurgeLedgerDeps): Router {
  const router = Router()
  router.post('/api/ledger/purge', async (req, res) => {
    const asked = Asked.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with perhaps cursor, from the step before, and dry_run.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    const { cursor, dry_run: dryRun } = asked.data
    const isNoted = cursor === undefined && !dryRun
    const { events: total } = await ledger.counts()
    const step = await ledger.purge(keep, cursor ?? 0, {
      dryRun,
      act: isNoted ? { actor: readActor(req) } : undefined,
    })
    // Where somebody reads it just now, retention tries again.
    if (step.cursor === undefined && !dryRun) await ledger.wipe()
    const { looked, cursor: next, ...removed } = step
    res.json({ removed, looked, total, ...(next !== undefined && { cursor: next }) })
  })
  return router
}
