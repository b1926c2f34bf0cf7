import { setImmediate as nextTurn } from 'node:timers/promises'
import { type AuditEntry, nameResources } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { groupBy } from '../hot/group-by.ts'
import { makeDue } from '../hot/make-due.ts'
import { resourcesOf, type PieceOfWork, type WorkFilter } from '../hot/work-filter.ts'
import { readWork, type WorkCursor } from '../views/read-work.ts'

/** Pieces of work made due per step: few enough not to delay deliveries. */
const madeDueAtOnce = 500

type MakeDueDeps = Pick<Core, 'db' | 'storage' | 'commits' | 'trail'>

/** Makes matching work due, `limit` pieces at most, in small steps that the audit trail records with their commits; resolves with the pieces. A retry leaves out work that is due with all its attempts, so it can be repeated. */
export async function makeDueInSteps(
  { db, storage, commits, trail }: MakeDueDeps,
  wanted: WorkFilter,
  entry: AuditEntry,
  { limit = Infinity, isResumed = false }: { limit?: number | undefined; isResumed?: boolean } = {},
): Promise<PieceOfWork[]> {
  // Work that was parked, or fails again meanwhile, shows up again among due work.
  const made = new Map<string, PieceOfWork>()
  let after: WorkCursor | undefined
  do {
    // Yields to other writes.
    await nextTurn()
    const now = await storage.now(db)
    const filter = isResumed ? wanted : { ...wanted, retriableAt: now }
    const left = limit - made.size
    const { rows, next } = await readWork(db, filter, { limit: Math.min(madeDueAtOnce, left), after, now })
    const step = rows.slice(0, left).filter((row) => !made.has(keyOf(row)))
    for (const piece of step.length === 0 ? [] : await makeStepDue(step, filter)) made.set(keyOf(piece), piece)
    after = next
  } while (after !== undefined && made.size < limit)
  return [...made.values()]

  function makeStepDue(step: readonly PieceOfWork[], filter: WorkFilter): Promise<PieceOfWork[]> {
    return commits.write(
      async (trx, now) => {
        const due: PieceOfWork[] = []
        for (const [handler, own] of groupBy(step, (piece) => piece.handler)) {
          const resourceIds = await makeDue(trx, resourcesOf(own), { ...filter, handler }, { isResumed, now })
          due.push(...resourceIds.map((resourceId) => ({ resourceId, handler })))
        }
        const details = { ...entry.details, ...nameResources(resourcesOf(due)) }
        if (due.length > 0) await trail.append(trx, now, [{ ...entry, details }])
        return due
      },
      () => resourcesOf(step),
    )
  }
}

const keyOf = ({ resourceId, handler }: PieceOfWork) => `${handler} ${resourceId}`
