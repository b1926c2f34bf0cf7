import { type Amendment, amendmentRole, isUsual, noteOfAmendment } from '@pawl/base/amendment'
import { nameResources, type Act } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { endLeftOutFile, forgetLeftOut, type LeftOutFile } from '../hot/left-out.ts'
import { makeRetried } from '../hot/make-due.ts'
import { remember } from '../hot/state-document.ts'
import { editDocuments } from '../hot/states.ts'
import { catchUp } from '../projections/project.ts'
import { findByMemory, forgetMemory, type MemoryMatch } from './forget-memory.ts'
import { namePatient } from './name-patient.ts'
import { readNumbers } from '../resource-number.ts'

/** Changes memories and deletes records of skipped writes on request, so that a system is searched or written again. */
export interface Repairs {
  /** Deletes a system's memories under a role, for resources with this number and those remembered by this id, recorded in the audit trail; resolves with the resources. */
  forgetMemory(forgettable: MemoryMatch, act: Act): Promise<string[]>
  /** Drops the digests of what systems remember under these roles, so that the same state is told again as a new one; recorded in the audit trail. Resolves with the resources that had such a memory. */
  forgetDigests(
    told: { resourceIds: readonly string[]; roles: readonly { system: string; role: string }[] },
    act: Act,
  ): Promise<string[]>
  /** Makes a resource due now, so that it can be claimed out of its turn. */
  makeDueNow(resourceId: string): Promise<void>
  /** Deletes records of skipped writes about to be written, recorded in the audit trail. */
  forgetLeftOut(
    found: { system: string; types: readonly string[]; resourceIds: readonly string[] },
    act: Act,
  ): Promise<void>
  /** Marks a left-out file as seen to, recorded in the audit trail; `false` if none of that name is listed. */
  endLeftOutFile(file: Pick<LeftOutFile, 'id' | 'system' | 'file'>, act: Act): Promise<boolean>
  /** Has these systems write a resource's records as amended from their next run on, or as usual again if nothing is amended; recorded in the audit trail. */
  amend(amended: { resourceId: string; systems: readonly string[]; amendment: Amendment }, act: Act): Promise<void>
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
    forgetDigests: ({ resourceIds, roles }, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          const ids = new Map([...(await readNumbers(trx, resourceIds))].map(([id, number]) => [number, id]))
          const told = new Set<string>()
          await editDocuments(trx, [...ids.keys()], (document, number) => {
            for (const { system, role } of roles) {
              const remembered = document.memory.get(system)?.get(role)
              if (remembered === undefined) continue
              remember(document, { system, role }, { ...remembered, digest: undefined })
              told.add(ids.get(number) ?? '')
            }
          })
          const details = { systems: roles.map(({ system }) => system), ...nameResources([...told]) }
          if (told.size > 0) await trail.append(trx, now, [{ actor, action: 'notice.resend', reason, details }])
          return [...told]
        },
        () => resourceIds,
      ),
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
    endLeftOutFile: (file, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          const isDone = await endLeftOutFile(trx, file, now)
          const { id: resourceId, ...details } = file
          if (isDone) await trail.append(trx, now, [{ actor, action: 'file.done', resourceId, reason, details }])
          return isDone
        },
        () => [file.id],
      ),
    amend: ({ resourceId, systems, amendment }, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          const { without, document_type: type } = amendment
          const numbers = [...(await readNumbers(trx, [resourceId])).values()]
          await editDocuments(trx, numbers, (document) => {
            for (const system of systems) {
              if (isUsual(amendment)) document.memory.get(system)?.delete(amendmentRole)
              else remember(document, { system, role: amendmentRole }, noteOfAmendment(amendment))
            }
          })
          const details = { systems, without, ...(type !== undefined && { document_type: type }) }
          await trail.append(trx, now, [{ actor, action: 'work.amend', resourceId, reason, details }])
        },
        () => [resourceId],
      ),
  }
}
