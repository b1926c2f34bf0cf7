import { nameResources, type Act } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { forgetLeftOut } from '../hot/left-out.ts'
import { findRemembering, forgetMemory, type Forgettable } from './forget-memory.ts'
import { namePatient } from './name-patient.ts'

/** Forgets ids and left-out types on request, so that a system is searched or written anew. */
export interface Repairs {
  /** Forgets what a system remembers under a role of the resources that carry this number, and of those where it remembers this id, and writes that into the audit trail; resolves with the resources. */
  forgetMemory(forgettable: Forgettable, act: Act): Promise<string[]>
  /** Forgets that, as they are about to be written, and writes it into the audit trail. */
  forgetLeftOut(
    found: { system: string; types: readonly string[]; resourceIds: readonly string[] },
    act: Act,
  ): Promise<void>
}

export function createRepairs({ db, commits, trail, seal }: Core): Repairs {
  return {
    async forgetMemory(forgettable, { actor, reason }) {
      const resourceIds = await findRemembering(db, forgettable, seal)
      if (resourceIds.length === 0) return []
      const { system, role, value } = forgettable
      await commits.write(
        async (trx, now) => {
          await forgetMemory(trx, forgettable, resourceIds)
          const details = { ...namePatient(seal, value), system, role, ...nameResources(resourceIds) }
          await trail.append(trx, now, [{ actor, action: 'memory.forget', reason, details }])
        },
        () => resourceIds,
      )
      return resourceIds
    },
    forgetLeftOut: (found, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          await forgetLeftOut(trx, found)
          const { system, types, resourceIds } = found
          const details = { system, types, ...nameResources(resourceIds) }
          await trail.append(trx, now, [{ actor, action: 'work.backfill', reason, details }])
        },
        () => found.resourceIds,
      ),
  }
}
