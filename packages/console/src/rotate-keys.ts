import { Router } from 'express'
import type { Keys } from '@pawl/ledger/sealing/create-keys'
import type { Upkeep } from '@pawl/ledger/upkeep/create-upkeep'
import type { CountViews } from '@pawl/ledger/views/counts'
import { contract } from './contract/contract.ts'
import { refusal, serve } from './serve.ts'

/** Whether values are sealed; while sealing is being turned on, plain values are read, too, and `keys rotate` seals them. */
export type Sealing = 'on' | 'off' | 'turning_on'

export interface RotateKeysDeps {
  ledger: Pick<CountViews, 'counts'> & Pick<Keys, 'reseal'> & Pick<Upkeep, 'wipe'>
  sealing: Sealing
}

/** Route of one short step of sealing all stored values with the newest of `SEALING_KEYS`; the returned cursor continues it. */
export function createRotateKeys({ ledger, sealing }: RotateKeysDeps): Router {
  const router = Router()
  serve(router, contract.rotateKeys, async ({ body: { cursor, dry_run: dryRun }, actor }) => {
    if (sealing === 'off')
      throw refusal('no_sealing_key', 'This pawl has no sealing key: set SEALING_KEYS and restart it, then rotate.')
    const step = await ledger.reseal({ cursor, dryRun }, { actor })
    // Removes bytes of older values; if a reader holds the files, retention retries.
    if (step.cursor === undefined && !dryRun) await ledger.wipe()
    return { ...step, total: (await ledger.counts()).resources, accepts_plain: sealing === 'turning_on' }
  })
  return router
}
