import { randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { noSnapshot } from './no-snapshot.ts'
import type { Tables } from './tables.ts'

/** How long contents are kept, in milliseconds, and what time it is. */
export interface PurgeLimits {
  now: number
  keepMs: number
  /** Of work that is parked, counted from when it was. */
  parkedKeepMs: number
  /** Of how resources came out, counted from when they were first heard of. */
  reportKeepMs: number
}

/** How far a purge has come. */
export interface PurgeStep {
  /** The last event that was looked at. */
  cursor: number
  deleted: number
  /** Bodies of work that was parked for too long. */
  emptied: number
  isDone: boolean
}

/** Rows that one step looks at: few enough that nobody waits for it. */
const stepSize = 500
const dayMs = 86_400_000
/** Work may be due for long because a system is away; its contents are kept so much longer. */
const dueGraceMs = 7 * dayMs
/** What polling confirms day by day is the present state, however old; no resource is polled for longer (src/poll/pace.ts). */
const polledGraceMs = 90 * dayMs

/**
 * Deletes, of the next few events after `cursor`, those that are too old. Of work that is due, or was parked for too long, the rows stay without their bodies: what is handled in the end is asked of the service anyway.
 * Ids grow with time, so the first younger one ends it.
 */
export async function purgeEvents(trx: Transaction<Tables>, cursor: number, limits: PurgeLimits): Promise<PurgeStep> {
  const cutoff = limits.now - limits.keepMs
  const rows = await trx
    .selectFrom('events')
    .select(['id', 'received_at', 'resource_id'])
    .where('id', '>', cursor)
    .orderBy('id')
    .limit(stepSize)
    .execute()
  const old = rows.filter((row) => row.received_at < cutoff)
  const { due, parkedAt } = await readStates(trx, [...new Set(old.map((row) => row.resource_id))])
  const deletable: number[] = []
  const waitedTooLong: number[] = []
  const parkedTooLong: number[] = []
  for (const { id, received_at: receivedAt, resource_id: resourceId } of old) {
    const parked = parkedAt.get(resourceId)
    if (parked === undefined && !due.has(resourceId)) deletable.push(id)
    else if (parked === undefined) {
      if (receivedAt < cutoff - dueGraceMs) waitedTooLong.push(id)
    } else if (parked < limits.now - limits.parkedKeepMs) parkedTooLong.push(id)
  }
  if (deletable.length > 0) await trx.deleteFrom('events').where('id', 'in', deletable).execute()
  await emptyBodies(trx, waitedTooLong)
  const emptied = await emptyBodies(trx, parkedTooLong)
  return { cursor: rows.at(-1)?.id ?? cursor, deleted: deletable.length, emptied, isDone: old.length < stepSize }
}

async function emptyBodies(trx: Transaction<Tables>, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0
  const { numUpdatedRows } = await trx
    .updateTable('events')
    .set({ body: Buffer.alloc(0) })
    .where('id', 'in', ids)
    .where(sql<boolean>`length(body) > 0`)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Which of these resources have work due, and when the newest of their parked work was parked. */
async function readStates(
  trx: Transaction<Tables>,
  resourceIds: readonly string[],
): Promise<{ due: ReadonlySet<string>; parkedAt: ReadonlyMap<string, number> }> {
  if (resourceIds.length === 0) return { due: new Set(), parkedAt: new Map() }
  const due = await trx
    .selectFrom('resources')
    .select('id')
    .where('id', 'in', resourceIds)
    .where('due_at', 'is not', null)
    .execute()
  const parked = await trx
    .selectFrom('progress')
    .select(['resource_id as id', (eb) => eb.fn.max('parked_at').as('at')])
    .where('resource_id', 'in', resourceIds)
    .where('state', '=', 'parked')
    .groupBy('resource_id')
    .execute()
  return { due: new Set(due.map(({ id }) => id)), parkedAt: new Map(parked.map(({ id, at }) => [id, at ?? 0])) }
}

/** Forgets what resources looked like, a few at a time, whatever their kind and status; resolves with their number. Their ids, progress and the keys of remembered effects stay. */
export async function purgeSnapshots(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const cutoff = limits.now - limits.keepMs
  const rows = await trx
    .selectFrom('resources')
    .select('id')
    .where('snapshot', 'is not', null)
    .where('snapshot_at', '<', cutoff)
    .where(
      sql<boolean>`snapshot_at < ${cutoff} - case when due_at is not null then ${sql.lit(dueGraceMs)}
        when next_poll_at is not null then ${sql.lit(polledGraceMs)} else 0 end`,
    )
    .where(hasNoKeptWork('resources.id', limits))
    .limit(stepSize)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return purgeBaselines(trx, limits)
  await trx.updateTable('resources').set(noSnapshot).where('id', 'in', ids).execute()
  await trx
    .updateTable('progress')
    .set({ baseline: null, baseline_at: null, tried: null })
    .where('resource_id', 'in', ids)
    .execute()
  await trx
    .updateTable('effects')
    .set({ value: null })
    .where('resource_id', 'in', ids)
    .where('value', 'is not', null)
    .execute()
  await trx.deleteFrom('attempts').where('resource_id', 'in', ids).where('finished_at', '<', cutoff).execute()
  await trx.deleteFrom('transitions').where('resource_id', 'in', ids).where('at', '<', cutoff).execute()
  await trx.deleteFrom('lookups').where('resource_id', 'in', ids).execute()
  await unlinkOutcomes(trx, ids)
  return ids.length
}

/** How those of them came out that have ended counts on, without telling whose it is: nobody could find it any more to erase it. */
async function unlinkOutcomes(trx: Transaction<Tables>, ids: readonly string[]): Promise<void> {
  const ended = await trx
    .selectFrom('outcomes')
    .innerJoin('resources', 'resources.id', 'outcomes.resource_id')
    .select('resource_id')
    .where('resource_id', 'in', ids)
    .where('terminal', '=', 1)
    .execute()
  for (const { resource_id: id } of ended)
    await trx
      .updateTable('outcomes')
      .set({ resource_id: `ended_${randomUUID()}` })
      .where('resource_id', '=', id)
      .execute()
}

/** The same of a handler that nothing has concerned for so long, while its resource went on. */
async function purgeBaselines(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await trx
    .selectFrom('progress')
    .select(['resource_id', 'handler'])
    .where('baseline', 'is not', null)
    .where('baseline_at', '<', limits.now - limits.keepMs - polledGraceMs)
    .where(hasNoKeptWork('progress.resource_id', limits))
    .limit(stepSize)
    .execute()
  for (const { resource_id: resourceId, handler } of rows)
    await trx
      .updateTable('progress')
      .set({ baseline: null, baseline_at: null, tried: null })
      .where('resource_id', '=', resourceId)
      .where('handler', '=', handler)
      .execute()
  return rows.length > 0 ? rows.length : purgeEffects(trx, limits)
}

/** What effects returned so long ago, while their resource went on: that they happened is never forgotten. */
async function purgeEffects(trx: Transaction<Tables>, limits: PurgeLimits): Promise<number> {
  const rows = await trx
    .selectFrom('effects')
    .select(['resource_id', 'handler', 'key'])
    .where('value', 'is not', null)
    .where('done_at', '<', limits.now - limits.keepMs - polledGraceMs)
    .where(hasNoKeptWork('effects.resource_id', limits))
    .limit(stepSize)
    .execute()
  for (const { resource_id: resourceId, handler, key } of rows)
    await trx
      .updateTable('effects')
      .set({ value: null })
      .where('resource_id', '=', resourceId)
      .where('handler', '=', handler)
      .where('key', '=', key)
      .execute()
  return rows.length > 0 ? rows.length : purgeOutcomes(trx, limits)
}

/** How resources came out: the report goes back no further. */
async function purgeOutcomes(trx: Transaction<Tables>, { now, reportKeepMs }: PurgeLimits): Promise<number> {
  const rows = await trx
    .selectFrom('outcomes')
    .select('resource_id')
    .where('heard_at', '<', now - reportKeepMs)
    .orderBy('heard_at')
    .limit(stepSize)
    .execute()
  const ids = rows.map((row) => row.resource_id)
  if (ids.length > 0) await trx.deleteFrom('outcomes').where('resource_id', 'in', ids).execute()
  return ids.length
}

/** Nothing of the resource is parked that somebody may still want to retry. */
function hasNoKeptWork(
  resourceId: 'resources.id' | `${'progress' | 'effects'}.resource_id`,
  { now, parkedKeepMs }: PurgeLimits,
) {
  return sql<boolean>`not exists (select 1 from progress as parked where parked.resource_id = ${sql.ref(resourceId)}
    and parked.state = 'parked' and parked.parked_at >= ${now - parkedKeepMs})`
}
