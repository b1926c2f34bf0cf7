import { type Kysely, sql, type Transaction } from 'kysely'
import type { FailedWork, FailureCursor, FailureGroup, FailureKey } from './ledger.ts'
import { makeRetried } from './retry-work.ts'
import type { Tables } from './tables.ts'

type Db = Kysely<Tables>

/** Of one group, this many are counted at the most. */
export const maxFailuresCounted = 10_000
/** Error codes are few; whoever throws ever new ones does not get a page as long as the ledger. */
const maxGroups = 200

const groupColumns = ['state', 'handler', 'error_system', 'error_code'] as const

/** All groups of failed work, parked before due. The index gives the first row of each: what lies between is stepped over. */
export async function readFailureGroups(db: Db): Promise<FailureGroup[]> {
  const groups: FailureGroup[] = []
  for (const state of ['parked', 'due'] as const) {
    let after: FailureKey | undefined
    while (groups.length < maxGroups) {
      const key = await readNextKey(db, state, after)
      if (key === undefined) break
      const group = await readGroup(db, key)
      if (group !== undefined) groups.push(group)
      after = key
    }
  }
  return groups
}

/** The first group of that state behind another. */
export function selectNextKey(db: Db, state: FailureKey['state'], after: FailureKey | undefined) {
  const query = db
    .selectFrom('progress')
    .select(groupColumns)
    .where('error_code', 'is not', null)
    .where('state', '=', state)
    .orderBy('handler')
    .orderBy('error_system')
    .orderBy('error_code')
    .limit(1)
  if (after === undefined) return query
  const { handler, system, errorCode } = after
  return query.where(sql<boolean>`(handler, error_system, error_code) > (${handler}, ${system}, ${errorCode})`)
}

async function readNextKey(db: Db, state: FailureKey['state'], after: FailureKey | undefined) {
  const row = await selectNextKey(db, state, after).executeTakeFirst()
  // The query leaves out rows without a code.
  return row && { state, handler: row.handler, system: row.error_system, errorCode: row.error_code ?? '' }
}

async function readGroup(db: Db, key: FailureKey): Promise<FailureGroup | undefined> {
  const edge = (direction: 'asc' | 'desc') =>
    selectFailed(db, key)
      .leftJoin('attempts', 'attempts.id', 'progress.failure_id')
      .select(['failure_id', 'progress.error_message', 'finished_at'])
      .orderBy('failure_id', direction)
      .limit(1)
      .executeTakeFirst()
  const newest = await edge('desc')
  if (newest === undefined) return undefined
  const oldest = await edge('asc')
  return {
    ...key,
    count: await countFailedSince(db, key, -1),
    newest: newest.failure_id,
    newestAt: newest.finished_at ?? undefined,
    oldestAt: oldest?.finished_at ?? undefined,
    message: newest.error_message ?? '',
  }
}

/** The work of one group; the index `progress_failures` finds it. */
export function selectFailed(db: Db, { state, handler, system, errorCode }: FailureKey) {
  return db
    .selectFrom('progress')
    .where('progress.state', '=', state)
    .where('progress.handler', '=', handler)
    .where('progress.error_system', '=', system)
    .where('progress.error_code', '=', errorCode)
}

/** How much of a group failed after the failure of this number. */
export async function countFailedSince(db: Db, key: FailureKey, failureId: number): Promise<number> {
  const failed = selectFailed(db, key)
    .where('failure_id', '>', failureId)
    .select('failure_id')
    .limit(maxFailuresCounted)
  const { count } = await db
    .selectFrom(failed.as('failed'))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** One page of a group, the failure that is oldest first. */
export function selectFailedPage(db: Db, key: FailureKey, limit: number, after: FailureCursor | undefined) {
  const page = selectFailed(db, key).orderBy('failure_id').orderBy('progress.resource_id').limit(limit)
  return after === undefined
    ? page
    : page.where(sql<boolean>`(failure_id, progress.resource_id) > (${after.failureId}, ${after.resourceId})`)
}

/** One page of a group with what a person wants to know of each piece of work. */
export async function readFailedWork(
  db: Db,
  key: FailureKey,
  limit: number,
  after: FailureCursor | undefined,
): Promise<FailedWork[]> {
  const rows = await selectFailedPage(db, key, limit, after)
    .innerJoin('resources', 'resources.id', 'progress.resource_id')
    .leftJoin('attempts', 'attempts.id', 'progress.failure_id')
    .select([
      'failure_id',
      'progress.resource_id',
      'kind',
      'progress.attempts',
      'progress.error_message',
      'finished_at',
      'progress.due_at',
    ])
    .execute()
  return rows.map((row) => ({
    failureId: row.failure_id,
    resourceId: row.resource_id,
    kind: row.kind,
    attempts: row.attempts,
    message: row.error_message ?? '',
    failedAt: row.finished_at ?? undefined,
    dueAt: row.due_at ?? undefined,
  }))
}

/** Makes the oldest parked work of a group due that failed no later than `upTo`. */
export async function retryFailed(
  trx: Transaction<Tables>,
  key: Omit<FailureKey, 'state'>,
  { upTo, limit, now }: { upTo: number; limit: number; now: number },
): Promise<string[]> {
  const rows = await selectFailedPage(trx, { ...key, state: 'parked' }, limit, undefined)
    .where('failure_id', '<=', upTo)
    .select('progress.resource_id')
    .execute()
  const resourceIds = rows.map((row) => row.resource_id)
  if (resourceIds.length === 0) return []
  const retried = await trx
    .updateTable('progress')
    .set({ state: 'due', attempts: 0, due_at: now, parked_at: null })
    .where('resource_id', 'in', resourceIds)
    .where('handler', '=', key.handler)
    // Somebody else may have retried it between the two statements.
    .where('state', '=', 'parked')
    .returning('resource_id')
    .execute()
  const retriedIds = retried.map((row) => row.resource_id)
  await makeRetried(trx, retriedIds, now)
  return retriedIds
}
