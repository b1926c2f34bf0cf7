import { type Kysely, sql, type Transaction } from 'kysely'
import { makeRetried } from './make-due.ts'
import { resourcesOf, type PieceOfWork } from './work-filter.ts'
import type { Tables } from '../tables.ts'
import { numberOf } from '../resource-number.ts'

/** Parked work whose retry time has come; served by the index work_again. */
export async function findParkedAgain(db: Kysely<Tables>, limit: number, now: number): Promise<PieceOfWork[]> {
  const rows = await selectParkedAgain(db, limit, now).execute()
  return rows.map(({ id: resourceId, handler }) => ({ resourceId, handler }))
}

/** The query of `findParkedAgain`. */
function selectParkedAgain(db: Kysely<Tables>, limit: number, now: number) {
  return db
    .selectFrom('work')
    .innerJoin('resources', 'number', 'resource')
    .select(['resources.id', 'handler'])
    .where('state', '=', sql.lit('parked'))
    .where('work.due_at', 'is not', null)
    .where('work.due_at', '<=', now)
    .orderBy('work.due_at')
    .limit(limit)
}

/** Makes parked work look as if a newer event had come: it stays parked, and runs. Resolves with the resources. */
export async function wakeParked(
  trx: Transaction<Tables>,
  work: readonly PieceOfWork[],
  now: number,
): Promise<string[]> {
  for (const { resourceId, handler } of work)
    await trx
      .updateTable('work')
      .set({ tried_event_id: 0, due_at: null })
      .where('resource', '=', numberOf(resourceId))
      .where('handler', '=', handler)
      .where('state', '=', 'parked')
      .execute()
  const resourceIds = resourcesOf(work)
  await makeRetried(trx, resourceIds, now)
  return resourceIds
}
