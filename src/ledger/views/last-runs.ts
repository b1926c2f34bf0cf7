import { type Kysely, sql } from 'kysely'
import type { RunResult, Tables } from '../tables.ts'

/** Result of a handler's last run. */
export interface LastRun {
  handler: string
  result: RunResult
  agoMs: number
}

/** Newest runs read: without an index by handler, reading all would take too long. */
const maxRuns = 5_000

/** The last run of each handler among the newest runs. */
export async function readLastRuns(db: Kysely<Tables>, now: number): Promise<LastRun[]> {
  const { rows } = await sql<{ handler: string; result: RunResult; finished_at: number }>`
    select handler, result, finished_at from attempts where id in (
      select max(id) from (select id, handler, result from attempts order by id desc limit ${maxRuns}) as newest
      where result <> 'discarded' group by handler)
    order by handler`.execute(db)
  return rows.map(({ handler, result, finished_at }) => ({ handler, result, agoMs: Math.max(0, now - finished_at) }))
}
