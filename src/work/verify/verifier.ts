import type { Log } from '@pawl/base/log'
import { isDisorder, type Mending } from '@pawl/base/system-notes'
import type { FoundRecord } from '@pawl/connector/system'
import { tokenOf } from '@pawl/ledger/hot/claim'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import type { Memories } from '@pawl/ledger/hot/memory'
import type { Repairs } from '@pawl/ledger/upkeep/create-repairs'
import type { RememberedViews } from '@pawl/ledger/views/remembered'
import type { Systems } from '../../systems/systems.ts'
import { createClaimNotes } from '../claim-notes.ts'
import type { LeasedClaim, Leases } from '../lease.ts'
import { readBack, type Verifiable, verifyHeld } from './read-back.ts'

export interface VerifierDeps extends Verifiable {
  systems: Pick<Systems, 'mend' | 'digest'>
  ledger: Pick<RememberedViews, 'remembered'> &
    Pick<Repairs, 'makeDueNow'> &
    Pick<Claims, 'record' | 'release'> &
    Memories
  leases: Pick<Leases, 'claim'>
  signal: AbortSignal
  log: Log
}

/** A record, with what mending did to it. */
export type MendedRecord = FoundRecord & { mended?: Mending | undefined }

/** All that the system holds of one resource. */
export interface Verified {
  records: MendedRecord[]
  unsearched: string[]
}

/** Reads back, and mends, what a system holds of single resources. `unknown`: the ledger knows none of this id; `in_work`: try again in a moment. Both throw the system's errors. */
export interface Verifier {
  system: string
  read(this: void, resourceId: string): Promise<Verified | 'in_work' | 'unknown'>
  /** Mends every disorder under a claim of this process. The resource stays due. */
  mend(this: void, resourceId: string): Promise<Verified | 'in_work' | 'unknown'>
}

export function createVerifier({ name, system, systems, ledger, leases, signal, log }: VerifierDeps): Verifier {
  const { digest } = systems

  async function mendClaimed({ claim, lease }: LeasedClaim): Promise<Verified | 'in_work' | 'unknown'> {
    const { resourceId } = claim
    const claimNotes = createClaimNotes({ ...tokenOf(claim), memory: claim.memory }, ledger)
    try {
      // Requests of a holder that was lost may still arrive: a worker looks first.
      if (claim.suspect) return 'in_work'
      const resource = await ledger.remembered(resourceId)
      if (resource === undefined) return 'unknown'
      const held = lease.ending.signal
      const found = await verifyHeld(resource, { name, system, digest, signal: held })
      const run = {
        claim,
        log,
        signal: held,
        assertMayAct: lease.assertHeld,
        remainingMs: lease.remainingMs,
        writes: [],
        leftOut: [],
        memoryOf: claimNotes.memoryOf,
      }
      const records: MendedRecord[] = []
      for (const record of found.records) {
        const mended = isDisorder(record.is) ? await systems.mend(name, run, record) : undefined
        if (mended !== undefined)
          log.info({ resource_id: resourceId, system: name, wrote: record.type }, 'record mended')
        records.push({ ...record, mended })
      }
      return { ...found, records }
    } finally {
      // Other work of the resource is due when its handlers say so, which the next claim finds out.
      await claimNotes.release({ dueInMs: 0, restMs: 0, untried: true }).finally(() => lease.end())
    }
  }

  return {
    system: name,
    async read(resourceId) {
      const resource = await ledger.remembered(resourceId)
      if (resource === undefined) return 'unknown'
      return readBack(resource, { name, system, digest, readAgain: ledger.remembered, signal })
    },
    async mend(resourceId) {
      const resource = await ledger.remembered(resourceId)
      if (resource === undefined) return 'unknown'
      if (resource.isClaimed) return 'in_work'
      await ledger.makeDueNow(resourceId)
      const leased = await leases.claim(resourceId, false)
      return leased === undefined ? 'in_work' : mendClaimed(leased)
    },
  }
}
