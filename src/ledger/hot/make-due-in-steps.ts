import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Transaction } from 'kysely'
import { type AuditEntry, nameResources } from '../audit/audit-entry.ts'
import type { Trail } from '../audit/trail.ts'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import { inSteps } from '../views/in-steps.ts'
import { readWork, type WorkCursor } from '../views/read-work.ts'
import type { WorkFilter } from '../views/work-filter.ts'
import { makeDue, resourcesOf } from './make-due.ts'

/** Pieces of work that one step makes due: few enough that no delivery waits for it. */
const madeDueAtOnce = 500

type MakeDueDeps = Pick<Core, 'db' | 'storage' | 'commits' | 'trail'>

interface DueStep {
  limit?: number
  after?: WorkCursor | undefined
  isFreed?: boolean
  made?: ReadonlySet<string>
}

/** Writes into the trail that resources are due again by an act; where there are none, nothing happened. */
export async function noteDue(
  trail: Trail,
  trx: Transaction<Tables>,
  now: number,
  { resourceIds, details, ...entry }: AuditEntry & { resourceIds: readonly string[] },
): Promise<void> {
  if (resourceIds.length === 0) return
  await trail.append(trx, now, [{ ...entry, details: { ...details, ...nameResources(resourceIds) } }])
}

/** Makes the next few pieces of work due that a filter lets through, but for resources that are in `made`. */
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

/** Makes all of it due, in such steps; resolves with the resources. */
export async function makeAllDue(
  deps: MakeDueDeps,
  filter: WorkFilter,
  entry: AuditEntry,
  { isFreed = false } = {},
): Promise<string[]> {
  // What was parked is met again among what is due, and so is what fails again meanwhile.
  const made = new Set<string>()
  for await (const { resourceIds } of inSteps(async (after?: WorkCursor) => {
    // Others get their turn in between.
    await nextTurn()
    const { resourceIds, next } = await makeSomeDue(deps, filter, entry, { after, isFreed, made })
    return { resourceIds, cursor: next }
  }))
    for (const id of resourceIds) made.add(id)
  return [...made]
}
