import type { Kysely } from 'kysely'
import type { Core } from '../core.ts'
import type { Tables } from '../tables.ts'
import { countContents, noContents, purgeContents } from './purge-contents.ts'
import { catchUp } from '../projections/project.ts'
import { purgeEvents, type Keep, type PurgeStep } from './purge.ts'
import { noteUpkeep, readUpkeep } from './upkeep.ts'
import type { Act } from '../audit/audit-entry.ts'
import type { Wiped } from '../storage.ts'

/** Deletes contents past their retention. */
export interface Upkeep {
  /** One small step of deleting expired contents: events after `cursor`, then contents of resources. With `dryRun` it only counts; an `act` is recorded in the audit trail. */
  purge(keep: Keep, cursor: number, how?: { dryRun?: boolean; act?: Act | undefined }): Promise<PurgeStep>
  /** Milliseconds since the last complete purge; without one, since the first call. */
  purgedAgo(): Promise<number>
  /** Begins a nightly task whose time came `dueAgoMs` ago, for one process: `undefined` if one began it since, or if it is new and begins with the next time. Resolves with when it last ended well, or became known; pass `begunAt` to `endNightly`. */
  beginNightly(task: string, dueAgoMs: number): Promise<{ since: number; begunAt: number } | undefined>
  /** Records that a task ended well: the next time covers what came after its begin. */
  endNightly(task: string, begunAt: number): Promise<void>
  /** A write that changes nothing, to the tables of deliveries: rejects, or waits, where no delivery could be stored. */
  tryWrite(): Promise<void>
  /** Removes deleted content from the database's files as well. */
  wipe(): Promise<Wiped>
}

/** Name of the upkeep record of a nightly task's last begin. */
const begunTask = (task: string) => `${task} begun`

/** Name of the upkeep record of a complete purge. */
const retentionTask = 'retention'

export function createUpkeep(core: Core): Upkeep {
  const { db, storage, commits, purges, trail } = core
  return {
    async purge(keep, cursor, { dryRun = false, act } = {}) {
      if (act !== undefined)
        await commits.write((trx, now) => trail.append(trx, now, [{ ...act, action: 'ledger.purge' }]))
      // What is not projected yet must not be deleted; what comes later is too young.
      if (!dryRun && cursor === 0) await catchUp(core)
      // A dry run stays off the write path.
      const read = async <T>(work: (db: Kysely<Tables>, now: number) => Promise<T>) => work(db, await storage.now(db))
      const purge = (trx: Kysely<Tables>, now: number) => purgeEvents(trx, cursor, { now, ...keep, dryRun })
      const { isDone, ...events } = await (dryRun ? read(purge) : purges.write(purge))
      const step = { ...events, ...noContents }
      if (!isDone) return step
      if (dryRun) {
        const contents = await read((trx, now) => countContents(trx, { now, ...keep }))
        return { ...step, ...contents, cursor: undefined }
      }
      const contents = await commits.write((trx, now) => purgeContents(trx, { now, ...keep }))
      const isReclaimed = await storage.reclaim()
      const isOver = Object.keys(contents).length === 0 && isReclaimed
      if (isOver) await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return { ...step, ...contents, cursor: isOver ? undefined : events.cursor }
    },
    async purgedAgo() {
      const at = await readUpkeep(db, retentionTask)
      if (at !== undefined) return Math.max(0, (await storage.now(db)) - at)
      await commits.write((trx, now) => noteUpkeep(trx, retentionTask, now))
      return 0
    },
    beginNightly: (task, dueAgoMs) =>
      commits.write(
        async (trx, now) => {
          const begun = await readUpkeep(trx, begunTask(task))
          if (begun !== undefined && begun >= now - dueAgoMs) return undefined
          await noteUpkeep(trx, begunTask(task), now)
          const since = await readUpkeep(trx, task)
          if (since !== undefined) return { since, begunAt: now }
          await noteUpkeep(trx, task, now)
          return undefined
        },
        () => [begunTask(task)],
      ),
    endNightly: (task, begunAt) => commits.write((trx) => noteUpkeep(trx, task, begunAt)),
    tryWrite: () =>
      commits.write(async (trx) => {
        await trx.updateTable('events').set({ repeats: 0 }).where('id', '=', 0).execute()
        await trx.updateTable('resources').set({ terminal: 0 }).where('number', '=', 0).execute()
      }),
    wipe: () => storage.wipe(),
  }
}
