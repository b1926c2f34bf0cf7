import type { Kysely } from 'kysely'
import type { Act, AuditDetails, AuditEntry } from '../audit/audit-entry.ts'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import {
  addPause,
  isPaused,
  type Pause,
  pauseOf,
  type PauseTarget,
  readPauses,
  removePause,
  workOf,
} from '../hot/pause.ts'
import { walkKeys } from '../views/work-groups.ts'
import { makeDueInSteps } from './make-due-in-steps.ts'
import { resourcesOf } from '../hot/work-filter.ts'

/** Pauses and resumes work. */
export interface Pauses {
  /** Everything paused now. */
  pauses(): Promise<Pause[]>
  /** Pauses work and records it in the audit trail, with reason and details; an existing pause stays as it is. */
  pause(target: PauseTarget, act: Act, details?: AuditDetails): Promise<void>
  /** Resumes work and retries the work that waited, in small steps recorded in the audit trail. Resolves with the resources that waited. */
  resume(target: PauseTarget, act: Act): Promise<string[]>
  /** Retries work that still waits for a pause that is over, because the resuming process died midway; resolves with the resources. */
  finishResumes(act: Act): Promise<string[]>
}

/** Resumed targets with work still waiting: the process that resumed them died before all of it was due. */
async function findResumedTargets(db: Kysely<Tables>): Promise<PauseTarget[]> {
  const resumed = new Map<string, PauseTarget>()
  for await (const { handler, system, errorCode: code } of walkKeys(db, { state: 'waiting' })) {
    const target = pauseOf({ handler, error: { code, message: '', system } })
    if (target !== undefined && !(await isPaused(db, target))) resumed.set(`${target.kind} ${target.name}`, target)
  }
  return [...resumed.values()]
}

export function createPauses(core: Core): Pauses {
  const { db, storage, commits, trail } = core
  const makeWaitingDue = async (target: PauseTarget, entry: AuditEntry) =>
    resourcesOf(await makeDueInSteps(core, workOf(target), entry, { isResumed: true }))
  return {
    pauses: async () => readPauses(db, await storage.now(db)),
    pause: (target, act, details) =>
      commits.write(async (trx, now) => {
        const isNew = await addPause(trx, { ...target, reason: act.reason }, now)
        if (isNew) await trail.append(trx, now, [withDetails(entryOf('work.pause', target, act), details)])
      }),
    async resume(target, act) {
      const entry = entryOf('work.resume', target, act)
      await commits.write(async (trx, now) => {
        if (await removePause(trx, target)) await trail.append(trx, now, [entry])
      })
      // From here on no work is recorded as waiting for this pause.
      return target.kind === 'all' ? [] : makeWaitingDue(target, entry)
    },
    async finishResumes(act) {
      const due: string[] = []
      for (const target of await findResumedTargets(db))
        due.push(...(await makeWaitingDue(target, entryOf('work.resume', target, act))))
      return due
    },
  }
}

function withDetails(entry: AuditEntry, details: AuditDetails | undefined): AuditEntry {
  return { ...entry, details: { ...entry.details, ...details } }
}

/** Audit entry of a pause or resume. */
function entryOf(
  action: 'work.pause' | 'work.resume',
  { kind, name }: PauseTarget,
  { actor, reason }: Act,
): AuditEntry {
  return {
    actor,
    action,
    reason,
    ...(kind === 'handler' && { handler: name }),
    details: kind === 'system' ? { paused: kind, system: name } : { paused: kind },
  }
}
