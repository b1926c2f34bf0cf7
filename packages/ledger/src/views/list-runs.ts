import { type Kysely, sql } from 'kysely'
import { numberOf } from '../resource-number.ts'
import type { AttemptResult, RunResult, Tables } from '../tables.ts'
import { maxRowsRead, newest, type Page } from './lists.ts'
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
async function listRuns(
  db: Kysely<Tables>,
  { resourceId, handler, result, since, before }: RunFilter,
  limit: number,
): Promise<Page<RunRecord, number>> {
  const isNarrowed = handler !== undefined || result !== undefined || since !== undefined
  const size = isNarrowed ? maxRowsRead : limit + 1
  let newestRuns = db
    .selectFrom('attempts')
    .innerJoin('resources', 'resources.number', 'attempts.resource')
    .select([
      'attempts.id as id',
      'resources.id as resource_id',
      'attempts.handler',
      'attempts.started_at',
      'attempts.finished_at',
      'attempts.result',
      'attempts.error_code',
      'attempts.next_at',
    ])
    .where('attempts.id', '<', before ?? newest)
    .orderBy('attempts.id', 'desc')
    .limit(size)
  if (resourceId !== undefined) newestRuns = newestRuns.where('attempts.resource', '=', numberOf(resourceId))
  const lookedAt = await newestRuns.execute()
  const found = lookedAt.filter(
    (run) =>
      (handler === undefined || run.handler === handler) &&
      (result === undefined || run.result === result) &&
      (since === undefined || run.finished_at >= since),
  )
  const rows = found.slice(0, limit)
  const last = lookedAt.at(-1)
  const isEnd = lookedAt.length < size || (since !== undefined && last !== undefined && last.finished_at < since)
  const next = found.length > limit ? rows.at(-1)?.id : isEnd ? undefined : last?.id
  return { rows: rows.map(toRunRecord), next }
}

const toRunRecord = (
  row: Pick<Tables['attempts'], 'handler' | 'started_at' | 'finished_at' | 'result' | 'error_code' | 'next_at'> & {
    id: number
    resource_id: string
  },
): RunRecord => ({
  id: row.id,
  resourceId: row.resource_id,
  handler: row.handler,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
  result: row.result,
  errorCode: row.error_code ?? undefined,
  nextAt: row.next_at ?? undefined,
})

/** Result of a handler's last run. */
export interface LastRun {
  handler: string
  result: RunResult
  agoMs: number
}

/** Newest runs read: without an index by handler, reading all would take too long. */
const maxRuns = 5_000

/** Reads of runs. */
export type RunViews = ReturnType<typeof createRunViews>

export function createRunViews({ db, now }: ViewCore) {
  return {
    /** Runs of handlers, newest first. */
    listRuns: (filter: RunFilter, limit: number) => listRuns(db, filter, limit),
    /** The last run of each handler, if among the newest 5,000 runs. */
    async lastRuns(): Promise<LastRun[]> {
      const time = await now()
      const { rows } = await sql<{ handler: string; result: RunResult; finished_at: number }>`
        select handler, result, finished_at from attempts where id in (
          select max(id) from (select id, handler, result from attempts order by id desc limit ${maxRuns}) as newest
          where result <> 'discarded' group by handler)
        order by handler`.execute(db)
      return rows.map(({ handler, result, finished_at: at }) => ({ handler, result, agoMs: Math.max(0, time - at) }))
    },
  }
}
