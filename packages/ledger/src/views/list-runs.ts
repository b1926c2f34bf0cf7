import type { Kysely } from 'kysely'
import {
  type JournalRow,
  type JournalRun,
  maxMembers,
  readNewest,
  rowOf,
  runsOf,
  walkJournal,
} from '../hot/journal-rows.ts'
import { shownResult } from '../hot/waiting-errors.ts'
import type { AttemptResult, ShownResult, Tables } from '../tables.ts'
import { maxRowsRead, newest } from './lists.ts'
import type { Page } from './rows.ts'
import type { ViewCore } from '../core.ts'

/** One run of a handler, or a discard by hand in place of one. */
export interface RunRecord {
  id: number
  resourceId: string
  handler: string
  startedAt: number
  finishedAt: number
  result: AttemptResult
  errorCode: string | undefined
  /** When the next attempt was scheduled. */
  nextAt: number | undefined
}

/** Filter for runs; all fields given must match. */
export interface RunFilter {
  resourceId?: string | undefined
  handler?: string | undefined
  result?: AttemptResult | undefined
  /** Finished since then. */
  since?: number | undefined
  /** Older than this one. */
  before?: number | undefined
}

/** Runs of handlers, newest first. */
async function listRuns(db: Kysely<Tables>, filter: RunFilter, limit: number): Promise<Page<RunRecord, number>> {
  const { resourceId, handler, result, since, before = newest } = filter
  const isNarrowed = handler !== undefined || result !== undefined || since !== undefined
  const found: (JournalRun & { id: number; resource: number })[] = []
  let looked = 0
  let next: number | undefined
  for await (const row of resourceId === undefined ? readNewest(db, rowOf(before)) : walkOf(db, resourceId, before)) {
    if (found.length > limit || (isNarrowed && looked === maxRowsRead)) {
      // The row just read is the next page's.
      next = (row.id + 1) * maxMembers
      break
    }
    looked += 1
    const runs = runsOf(row, before)
    if (since !== undefined && runs.length > 0 && runs.every(({ finishedAt }) => finishedAt < since)) break
    for (const run of runs)
      if (
        (handler === undefined || run.handler === handler) &&
        (result === undefined || run.result === result) &&
        (since === undefined || run.finishedAt >= since)
      )
        found.push({ ...run, resource: row.resource })
  }
  const rows = found.slice(0, limit)
  return {
    rows: await toRunRecords(db, rows),
    next: found.length > limit ? rows.at(-1)?.id : next,
  }
}

/** The rows of one resource from the row of this run on. */
async function* walkOf(db: Kysely<Tables>, resourceId: string, before: number): AsyncGenerator<JournalRow> {
  const head = await db.selectFrom('resources').select('journal_id').where('id', '=', resourceId).executeTakeFirst()
  yield* walkJournal(db, Math.min(head?.journal_id ?? 0, rowOf(before)))
}

async function toRunRecords(
  db: Kysely<Tables>,
  runs: readonly (JournalRun & { id: number; resource: number })[],
): Promise<RunRecord[]> {
  if (runs.length === 0) return []
  const numbers = [...new Set(runs.map(({ resource }) => resource))]
  const resources = await db.selectFrom('resources').select(['number', 'id']).where('number', 'in', numbers).execute()
  const idOf = new Map(resources.map(({ number, id }) => [number, id]))
  return runs.map(({ id, resource, handler, startedAt, finishedAt, result, error, nextAt }) => ({
    id,
    resourceId: idOf.get(resource) ?? '',
    handler,
    startedAt,
    finishedAt,
    result,
    errorCode: error?.code,
    nextAt,
  }))
}

/** Result of a handler's last run. */
export interface LastRun {
  handler: string
  result: ShownResult
  agoMs: number
}

/** Newest rows read: without an index by handler, reading all would take too long. */
const maxRuns = 5_000

/** Reads of runs. */
export type RunViews = ReturnType<typeof createRunViews>

export function createRunViews({ db, now }: ViewCore) {
  return {
    /** Runs of handlers, newest first. */
    listRuns: (filter: RunFilter, limit: number) => listRuns(db, filter, limit),
    /** The last run of each handler, if among the newest 5,000 rows of the journal. */
    async lastRuns(): Promise<LastRun[]> {
      const time = await now()
      const lastOf = new Map<string, LastRun>()
      let looked = 0
      for await (const row of readNewest(db)) {
        for (const { handler, result, error, finishedAt } of runsOf(row))
          if (result !== 'discarded' && !lastOf.has(handler))
            lastOf.set(handler, {
              handler,
              result: shownResult(result, error?.code),
              agoMs: Math.max(0, time - finishedAt),
            })
        if ((looked += 1) === maxRuns) break
      }
      return [...lastOf.values()].toSorted((one, other) => (one.handler < other.handler ? -1 : 1))
    },
  }
}
