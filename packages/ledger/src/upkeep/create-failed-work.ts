import { type Act, type AuditEntry, nameResources } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import { makeDueInSteps } from './make-due-in-steps.ts'
import { makeDue } from '../hot/make-due.ts'
import { resourcesOf, type WorkFilter, type PieceOfWork } from '../hot/work-filter.ts'
import { askAtOnce } from '../hot/outages.ts'
import { pausedErrors } from '../hot/waiting-errors.ts'
import { type Discarded, discardWork } from './discard-work.ts'
import { countWork, readWork } from '../views/read-work.ts'

/** Resources that probe a system at once: several, as a poison resource proves nothing, yet few, as the system may still be away. */
const probesAtOnce = 10

/** Retries and discards parked and failed work by hand. */
export interface FailedWork {
  /** Retries matching parked and failed work now, `limit` pieces at most, in small steps recorded in the audit trail; work that fails again meanwhile is left alone. Resolves with the pieces made due, and how many are left. */
  retryWork(filter: WorkFilter, act: Act, limit?: number): Promise<{ retried: PieceOfWork[]; left: number }>
  /** Counts the work that a retry would make due. */
  countRetriable(filter: WorkFilter): Promise<number>
  /** Requests an immediate probe of an absent system by every process, and makes a few of its waiting resources due as probes. Resolves with them. */
  probe(system: string, act: Act): Promise<string[]>
  /** Makes all work due that waits for a system, with its attempts unchanged, once the system takes a kind of request again. Resolves with the resources. */
  wake(system: string, act: Act): Promise<string[]>
  /** Marks pieces of parked or failing work as done in one commit, each recorded in the audit trail; resolves with the result of each. */
  discard(work: readonly PieceOfWork[], act: Act & { reason: string }): Promise<Discarded[]>
}

/** Work that waits for a system, and for no pause. */
function waitingFor(system: string) {
  return { state: 'waiting', system, exceptErrors: Object.values(pausedErrors) } as const
}

export function createFailedWork(core: Core): FailedWork {
  const { db, storage, commits, trail } = core
  const countRetriable = async (filter: WorkFilter) => countWork(db, { ...filter, retriableAt: await storage.now(db) })
  return {
    async retryWork(filter, act, limit) {
      const retried = await makeDueInSteps(core, filter, retryOf(filter, act), { limit })
      return { retried, left: limit === undefined ? 0 : await countRetriable(filter) }
    },
    countRetriable,
    async wake(system, act) {
      const filter = waitingFor(system)
      return resourcesOf(await makeDueInSteps(core, filter, retryOf(filter, act), { isResumed: true }))
    },
    async probe(system, act) {
      const filter = waitingFor(system)
      const { rows } = await readWork(db, filter, { limit: probesAtOnce, now: await storage.now(db) })
      const found = resourcesOf(rows)
      return commits.write(
        async (trx, now) => {
          await askAtOnce(trx, system, now)
          const due = await makeDue(trx, found, filter, { now })
          const entry = retryOf(filter, act)
          await trail.append(trx, now, [{ ...entry, details: { ...entry.details, ...nameResources(due) } }])
          return due
        },
        () => found,
      )
    },
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
