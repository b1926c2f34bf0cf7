import { type Kysely, sql, type Transaction } from 'kysely'
import type { PieceOfWork, WorkFilter } from './ledger.ts'
import type { Tables } from './tables.ts'

/** Pieces of work that one step makes due: few enough that nobody waits for it. */
const stepSize = 500

/** The next few pieces of parked or failed work after `cursor`, and the last of them where there may be more. */
export async function findOpenWork(
  db: Kysely<Tables>,
  filter: WorkFilter,
  cursor: PieceOfWork | undefined,
  limit = stepSize,
): Promise<{ work: PieceOfWork[]; cursor: PieceOfWork | undefined }> {
  const rows = await selectOpenWork(db, filter, cursor, limit).execute()
  const work = rows.map(({ resource_id: resourceId, handler }) => ({ resourceId, handler }))
  return { work, cursor: work.length < limit ? undefined : work.at(-1) }
}

/** The resources of pieces of work, each once. */
export const resourcesOf = (work: readonly PieceOfWork[]) => [...new Set(work.map(({ resourceId }) => resourceId))]

/** The query of `findOpenWork`. */
export function selectOpenWork(db: Kysely<Tables>, filter: WorkFilter, after: PieceOfWork | undefined, limit: number) {
  let open = db
    .selectFrom('progress')
    .select(['resource_id', 'handler'])
    .where('state', '<>', sql.lit('synced'))
    .where(fits(filter))
    .orderBy('resource_id')
    .orderBy('handler')
    .limit(limit)
  if (after !== undefined)
    open = open.where(sql<boolean>`(resource_id, handler) > (${after.resourceId}, ${after.handler})`)
  return open
}

/** Makes the parked and failed work of these resources due at once: with all its attempts before it, unless they are to be kept. Resolves with the resources that still had some. */
export async function makeDue(
  trx: Transaction<Tables>,
  resourceIds: readonly string[],
  filter: WorkFilter,
  { now, keepAttempts = false }: { now: number; keepAttempts?: boolean },
): Promise<string[]> {
  const rows = await trx
    .updateTable('progress')
    .set({ state: 'due', due_at: now, parked_at: null, ...(!keepAttempts && { attempts: 0 }) })
    .where('resource_id', 'in', resourceIds)
    .where('state', '<>', sql.lit('synced'))
    .where(fits(filter))
    .returning('resource_id')
    .execute()
  const changed = new Set(rows.map((row) => row.resource_id))
  const dueIds = resourceIds.filter((id) => changed.has(id))
  await makeRetried(trx, dueIds, now)
  return dueIds
}

/** Makes resources due whose work is retried; whoever works on one of them sees it as they give it back. */
export async function makeRetried(trx: Transaction<Tables>, resourceIds: readonly string[], now: number) {
  if (resourceIds.length === 0) return
  await trx
    .updateTable('resources')
    .set((eb) => ({ due_at: now, retries: eb('retries', '+', 1) }))
    .where('id', 'in', resourceIds)
    .execute()
}

function fits({ resourceId, handler, errorCode, system, handlerNames, exceptErrors }: WorkFilter) {
  const conditions = [
    ...(resourceId === undefined ? [] : [sql<boolean>`resource_id = ${resourceId}`]),
    ...(handler === undefined ? [] : [sql<boolean>`handler = ${handler}`]),
    ...(errorCode === undefined ? [] : [sql<boolean>`error_code = ${errorCode}`]),
    ...(system === undefined ? [] : [sql<boolean>`error_system = ${system}`]),
    ...(exceptErrors === undefined
      ? []
      : [sql<boolean>`(error_code is null or error_code not in (${sql.join(exceptErrors)}))`]),
    ...(handlerNames === undefined
      ? []
      : [handlerNames.length === 0 ? sql<boolean>`1 = 0` : sql<boolean>`handler in (${sql.join(handlerNames)})`]),
  ]
  return conditions.length === 0 ? sql<boolean>`1 = 1` : sql.join<boolean>(conditions, sql` and `)
}
