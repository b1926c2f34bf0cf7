import { nameResources, type Act } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { forgetLeftOut } from '../hot/left-out.ts'
import { makeRetried } from '../hot/make-due.ts'
import { catchUp } from '../projections/project.ts'
import { findByMemory, forgetMemory, type MemoryMatch } from './forget-memory.ts'
import { namePatient } from './name-patient.ts'

/** Deletes memories and records of skipped writes on request, so that a system is searched or written again. */
export interface Repairs {
  /** Deletes a system's memories under a role, for resources with this number and those remembered by this id, recorded in the audit trail; resolves with the resources. */
  forgetMemory(forgettable: MemoryMatch, act: Act): Promise<string[]>
  /** Makes a resource due now, so that it can be claimed out of its turn. */
  makeDueNow(resourceId: string): Promise<void>
  /** Deletes records of skipped writes about to be written, recorded in the audit trail. */
  forgetLeftOut(
    found: { system: string; types: readonly string[]; resourceIds: readonly string[] },
    act: Act,
  ): Promise<void>
}

export function createRepairs(core: Core): Repairs {
  const { db, commits, writeTo, trail, seal } = core
  return {
    async forgetMemory(forgettable, { actor, reason }) {
      await catchUp(core, ['lookups'])
      const resourceIds = await findByMemory(db, forgettable, seal)
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
    makeDueNow: (resourceId) => writeTo(resourceId, (trx, now) => makeRetried(trx, [resourceId], now)),
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
