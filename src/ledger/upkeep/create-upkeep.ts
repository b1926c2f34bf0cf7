import type { Kysely } from 'kysely'
import type { Core } from '../core.ts'
import { purgeDrift } from '../hot/drift-notes.ts'
import type { Tables } from '../tables.ts'
import { countContents, noContents, purgeContents } from './purge-contents.ts'
import { purgeEvents, type Keep, type PurgeStep } from './purge.ts'
import { noteUpkeep, readUpkeep } from './upkeep.ts'
import type { Act } from '../audit/audit-entry.ts'
import type { Wiped } from '../storage.ts'

/** Deletes contents past their retention. */
export interface Upkeep {
  /** One small step of deleting what is older than it may be: events after `cursor`, then what resources looked like. With `dryRun` it only counts; an `act` is written into the audit trail. */
  purge(keep: Keep, cursor: number, how?: { dryRun?: boolean; act?: Act | undefined }): Promise<PurgeStep>
  /** Milliseconds since old contents were deleted last, in full; since the first question where nobody has noted it yet. */
  purgedAgo(): Promise<number>
  /** Takes what was deleted out of the database's files as well. */
  wipe(): Promise<Wiped>
}

/** What is noted once old contents are deleted. */
const retentionTask = 'retention'

export function createUpkeep({ db, storage, commits, trail }: Core): Upkeep {
  return {
    async purge(keep, cursor, { dryRun = false, act } = {}) {
      if (act !== undefined)
        await commits.write((trx, now) => trail.append(trx, now, [{ ...act, action: 'ledger.purge' }]))
      // What only reads stays out of the way of those who write.
      const read = async <T>(work: (db: Kysely<Tables>, now: number) => Promise<T>) => work(db, await storage.now(db))
      const run = dryRun ? read : commits.write
      const part = dryRun ? undefined : await storage.purgePartition?.(cursor, { now: await storage.now(db), ...keep })
      const { isDone, ...events } =
        part?.step ?? (await run((trx, now) => purgeEvents(trx, cursor, { now, ...keep, dryRun, last: part?.last })))
      const step = { ...events, ...noContents, drift: 0 }
      if (!isDone) return step
      const drift = await run((trx, now) => purgeDrift(trx, now - keep.keepMs, dryRun))
      if (dryRun) {
        const contents = await read((trx, now) => countContents(trx, { now, ...keep }))
        return { ...step, ...contents, drift, cursor: undefined }
      }
      const contents = await commits.write((trx, now) => purgeContents(trx, { now, ...keep }))
      const isReclaimed = await storage.reclaim()
      const isOver = Object.keys(contents).length === 0 && isReclaimed
      if (isOver) await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return { ...step, ...contents, drift, cursor: isOver ? undefined : events.cursor }
    },
    async purgedAgo() {
      const at = await readUpkeep(db, retentionTask)
      if (at !== undefined) return Math.max(0, (await storage.now(db)) - at)
      await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return 0
    },
    wipe: () => storage.wipe(),
  }
}
