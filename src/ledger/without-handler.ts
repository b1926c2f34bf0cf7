import { type Kysely, sql } from 'kysely'
import type { WithoutHandler } from './ledger.ts'
import type { ProgressState, Tables } from './tables.ts'

/** Of each state, this many are counted at the most. */
const maxCounted = 10_000

/** Parked or failed work of handlers that have none of these names, of all resources or of one: nobody works on it. */
export async function readWithoutHandler(
  db: Kysely<Tables>,
  handlerNames: readonly string[],
  resourceId: string | undefined,
): Promise<WithoutHandler[]> {
  const counts = new Map<string, number>()
  // One after the other: each state has an index of its own.
  for (const state of ['parked', 'due'] as const)
    for (const { handler, count } of await countOf(db, state, handlerNames, resourceId))
      counts.set(handler, (counts.get(handler) ?? 0) + Number(count))
  return [...counts].map(([handler, count]) => ({ handler, count })).toSorted((a, b) => b.count - a.count)
}

function countOf(
  db: Kysely<Tables>,
  state: ProgressState,
  handlerNames: readonly string[],
  resourceId: string | undefined,
) {
  let work = db.selectFrom('progress').select('handler').where('state', '=', sql.lit(state)).limit(maxCounted)
  if (handlerNames.length > 0) work = work.where('handler', 'not in', handlerNames)
  if (resourceId !== undefined) work = work.where('resource_id', '=', resourceId)
  return db
    .selectFrom(work.as('work'))
    .select(['handler', (eb) => eb.fn.countAll().as('count')])
    .groupBy('handler')
    .execute()
}
