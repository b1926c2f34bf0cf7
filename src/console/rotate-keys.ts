import { Router } from 'express'
import { z } from 'zod'
import { readActor } from './actor.ts'
import type { Keys } from '../ledger/sealing/create-keys.ts'
import type { Upkeep } from '../ledger/upkeep/create-upkeep.ts'
import type { Views } from '../ledger/views/create-views.ts'

/** Whether values are sealed; as it is being turned on, plain ones are read, too, and `keys rotate` seals them. */
export type Sealing = 'on' | 'off' | 'turning_on'

export interface RotateKeysDeps {
  ledger: Pick<Views, 'counts'> & Pick<Keys, 'reseal'> & Pick<Upkeep, 'wipe'>
  sealing: Sealing
}

const Asked = z.strictObject({ cursor: z.string().max(300).optional(), dry_run: z.boolean().default(false) })

/** POST /api/keys/rotate: one short step of sealing all that is stored with the newest of `SEALING_KEYS`; asked again with the cursor that it gave, it goes on. */
export function createRotateKeys({ ledger, sealing }: RotateKeysDeps): Router {
  const router = Router()
  router.post('/api/keys/rotate', async (req, res) => {
    const asked = Asked.safeParse(req.body)
    if (!asked.success) {
      const message = 'Send a JSON object with perhaps cursor, from the step before, and dry_run.'
      res.status(400).json({ error: { code: 'bad_request', message } })
      return
    }
    if (sealing === 'off') {
      const message = 'This pawl has no sealing key: set SEALING_KEYS and restart it, then rotate.'
      res.status(409).json({ error: { code: 'no_sealing_key', message } })
      return
    }
    const { cursor, dry_run: dryRun } = asked.data
    const step = await ledger.reseal({ cursor, dryRun }, { actor: readActor(req) })
    // What the old key sealed, or none did; where somebody reads it just now, retention tries again.
    if (step.cursor === undefined && !dryRun) await ledger.wipe()
    res.json({ ...step, total: (await ledger.counts()).resources, accepts_plain: sealing === 'turning_on' })
  })
  return router
}
