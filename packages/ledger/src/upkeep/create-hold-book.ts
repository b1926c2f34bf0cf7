import type { Kysely } from 'kysely'
import type { Act, AuditDetails, AuditEntry } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import {
  addHold,
  findHeldDue,
  findHeldWork,
  type Hold,
  type HoldName,
  holdOf,
  isHoldActive,
  isLetThrough,
  letThrough,
  readHolds,
  removeHold,
  workOf,
} from '../hot/holds.ts'
import { readDue } from '../hot/reads.ts'
import { walkKeys } from '../views/work-groups.ts'
import { makeAllDue, noteDue } from './make-due-in-steps.ts'
import { makeDue } from '../hot/make-due.ts'

/** Pauses and resumes work, and lets single resources through. */
export interface HoldBook {
  /** Everything paused now. */
  holds(): Promise<Hold[]>
  /** Pauses work and records why in the audit trail, with these details; an existing pause stays as it is. */
  hold(hold: HoldName, act: Act, details?: AuditDetails): Promise<void>
  /** Resumes work and retries the work that waited, in small steps recorded in the audit trail. Resolves with whether it was paused, and the resources that waited. */
  liftHold(hold: HoldName, act: Act): Promise<{ wasHeld: boolean; resourceIds: string[] }>
  /** Retries work that waits for a hold already gone because the process that lifted it died midway; resolves with the resources. */
  freeUnheld(act: Act): Promise<string[]>
  /** Lets up to `limit` held resources through, retries them now, and records it in the audit trail. Resolves with them, and with whether others still wait. */
  letThrough(hold: HoldName, limit: number, act: Act): Promise<{ resourceIds: string[]; more: boolean }>
  /** Whether a resource was let through. */
  isLetThrough(resourceId: string): Promise<boolean>
  /** Resources let through that are due and free. */
  dueLetThrough(limit: number): Promise<string[]>
}

/** Holds already gone that work still waits for: the process that lifted them died before all of that work was due. */
async function findLiftedHolds(db: Kysely<Tables>): Promise<HoldName[]> {
  const gone = new Map<string, HoldName>()
  for await (const { handler, system, errorCode: code } of walkKeys(db, { state: 'waiting' })) {
    const hold = holdOf({ handler, error: { code, message: '', system } })
    if (hold !== undefined && !(await isHoldActive(db, hold))) gone.set(`${hold.kind} ${hold.name}`, hold)
  }
  return [...gone.values()]
}

export function createHoldBook(core: Core): HoldBook {
  const { db, storage, commits, trail } = core
  return {
    holds: async () => readHolds(db, await storage.now(db)),
    hold: (hold, act, details) =>
      commits.write(async (trx, now) => {
        const isNew = await addHold(trx, { ...hold, reason: act.reason }, now)
        if (isNew) await trail.append(trx, now, [withDetails(entryOf('work.pause', hold, act), details)])
      }),
    async liftHold(hold, act) {
      const entry = entryOf('work.resume', hold, act)
      const wasHeld = await commits.write(async (trx, now) => {
        const wasHeld = await removeHold(trx, hold)
        if (wasHeld) await trail.append(trx, now, [entry])
        return wasHeld
      })
      // From here on no work is recorded as waiting for this hold.
      const resourceIds = hold.kind === 'all' ? [] : await makeAllDue(core, workOf(hold), entry, { isFreed: true })
      return { wasHeld, resourceIds }
    },
    async freeUnheld(act) {
      const freed: string[] = []
      for (const hold of await findLiftedHolds(db))
        freed.push(...(await makeAllDue(core, workOf(hold), entryOf('work.resume', hold, act), { isFreed: true })))
      return freed
    },
    async letThrough(hold, limit, act) {
      // One more than `limit` tells whether others wait.
      const found =
        hold.kind === 'all'
          ? await findHeldDue(db, limit + 1, await storage.now(db))
          : await findHeldWork(db, hold, limit + 1)
      const resourceIds = found.slice(0, limit)
      if (resourceIds.length > 0)
        await commits.write(
          async (trx, now) => {
            await letThrough(trx, resourceIds, now)
            if (hold.kind !== 'all') await makeDue(trx, resourceIds, workOf(hold), { now, isFreed: true })
            await noteDue(trail, trx, now, { ...entryOf('work.resume', hold, act), resourceIds })
          },
          () => resourceIds,
        )
      return { resourceIds, more: found.length > limit }
    },
    isLetThrough: (resourceId) => isLetThrough(db, resourceId),
    dueLetThrough: async (limit) => readDue(db, limit, await storage.now(db), { onlyLetThrough: true }),
  }
}

function withDetails(entry: AuditEntry, details: AuditDetails | undefined): AuditEntry {
  return { ...entry, details: { ...entry.details, ...details } }
}

/** Audit entry of a pause or resume. */
function entryOf(action: 'work.pause' | 'work.resume', { kind, name }: HoldName, { actor, reason }: Act): AuditEntry {
  return {
    actor,
    action,
    reason,
    ...(kind === 'handler' && { handler: name }),
    details: kind === 'system' ? { paused: kind, system: name } : { paused: kind },
  }
}
