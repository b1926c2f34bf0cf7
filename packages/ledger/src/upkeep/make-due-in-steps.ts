import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { type AuditEntry, nameResources } from '../audit/audit-entry.ts'
import type { Trail } from '../audit/trail.ts'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import { inSteps } from '../views/in-steps.ts'
import { readWork, type WorkCursor } from '../views/read-work.ts'
import type { WorkFilter } from '../hot/work-filter.ts'
import { makeDue, resourcesOf } from '../hot/make-due.ts'

/** Pieces of work made due per step: few enough not to delay deliveries. */
const madeDueAtOnce = 500

type MakeDueDeps = Pick<Core, 'db' | 'storage' | 'commits' | 'trail'>

interface DueStep {
  limit?: number
  after?: WorkCursor | undefined
  isFreed?: boolean
  made?: ReadonlySet<string>
}

/** Records in the audit trail that an act made resources due; records nothing if there are none. */
export async function noteDue(
  trail: Trail,
  trx: Transaction<Tables>,
  now: number,
  { resourceIds, details, ...entry }: AuditEntry & { resourceIds: readonly string[] },
): Promise<void> {
  if (resourceIds.length === 0) return
  await trail.append(trx, now, [{ ...entry, details: { ...details, ...nameResources(resourceIds) } }])
}

/** Makes the next few pieces of work that match a filter due, skipping resources in `made`. */
export async function makeSomeDue(
  { db, storage, commits, trail }: MakeDueDeps,
  filter: WorkFilter,
  entry: AuditEntry,
  { limit = madeDueAtOnce, after, isFreed = false, made = new Set() }: DueStep,
): Promise<{ resourceIds: string[]; next: WorkCursor | undefined }> {
  const { rows, next } = await readWork(db, filter, { limit, after, now: await storage.now(db) })
  const resourceIds = resourcesOf(rows).filter((id) => !made.has(id))
  if (resourceIds.length === 0) return { resourceIds, next }
  const due = await commits.write(
    async (trx, now) => {
      const due = await makeDue(trx, resourceIds, filter, { isFreed, now })
      await noteDue(trail, trx, now, { ...entry, resourceIds: due })
      return due
    },
    () => resourceIds,
  )
  return { resourceIds: due, next }
}

/** Makes all matching work due, step by step; resolves with the resources. */
export async function makeAllDue(
  deps: MakeDueDeps,
  filter: WorkFilter,
  entry: AuditEntry,
  { isFreed = false } = {},
): Promise<string[]> {
  // Work that was parked, or fails again meanwhile, shows up again among due work.
  const made = new Set<string>()
  for await (const { resourceIds } of inSteps(async (after?: WorkCursor) => {
    // Yields to other writes.
    await nextTurn()
    const { resourceIds, next } = await makeSomeDue(deps, filter, entry, { after, isFreed, made })
    return { resourceIds, cursor: next }
  }))
    for (const id of resourceIds) made.add(id)
  return [...made]
}
