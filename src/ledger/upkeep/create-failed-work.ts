import type { Act, AuditEntry } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { makeAllDue, makeSomeDue } from './make-due-in-steps.ts'
import { resourcesOf } from '../hot/make-due.ts'
import type { WorkFilter, PieceOfWork } from '../hot/work-filter.ts'
import { type Discarded, discardWork } from './discard-work.ts'
import type { WorkCursor } from '../views/read-work.ts'

/** Retries and discards parked and failed work by hand. */
export interface FailedWork {
  /** Retries matching parked and failed work now, in small steps recorded in the audit trail; work that fails again meanwhile is left alone. Resolves with the resources. */
  retryWork(filter: WorkFilter, act: Act): Promise<string[]>
  /** One such step: the next `limit` pieces of work. */
  retrySome(
    filter: WorkFilter,
    step: { limit: number; after?: WorkCursor | undefined },
    act: Act,
  ): Promise<{ resourceIds: string[]; next: WorkCursor | undefined }>
  /** Marks pieces of parked or failing work as done in one commit, each recorded in the audit trail; resolves with the result of each. */
  discard(work: readonly PieceOfWork[], act: Act & { reason: string }): Promise<Discarded[]>
}

export function createFailedWork(core: Core): FailedWork {
  const { commits, trail } = core
  return {
    retryWork: (filter, act) => makeAllDue(core, filter, retryOf(filter, act)),
    retrySome: (filter, step, act) => makeSomeDue(core, filter, retryOf(filter, act), step),
    discard: (work, { actor, reason }) =>
      commits.write(
        async (trx, now) => {
          const results: Discarded[] = []
          for (const piece of work) results.push(await discardWork(trx, piece, now))
          const discarded = work.filter((_, at) => results[at] === 'discarded')
          await trail.append(
            trx,
            now,
            discarded.map((piece) => ({ actor, action: 'work.discard', reason, ...piece })),
          )
          return results
        },
        () => resourcesOf(work),
      ),
  }
}

/** Audit entry of a retry. */
function retryOf({ resourceId, handler, system, errorCode }: WorkFilter, { actor, reason }: Act): AuditEntry {
  const details = { ...(errorCode !== undefined && { error: errorCode }), ...(system !== undefined && { system }) }
  return { actor, action: 'work.retry', resourceId, handler, reason, details }
}
