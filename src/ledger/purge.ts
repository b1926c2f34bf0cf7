import type { Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** How far a purge has come. */
export interface PurgeStep {
  /** The last event that was looked at. */
  cursor: number
  deleted: number
  isDone: boolean
}

/** Rows that one step looks at: few enough that nobody waits for it. */
const stepSize = 500

/** Deletes, of the next few events after `cursor`, those older than `cutoff` whose resource has no work due or parked. Ids grow with time, so the first younger one ends it. */
export async function purgeEvents(trx: Transaction<Tables>, cursor: number, cutoff: number): Promise<PurgeStep> {
  const rows = await trx
    .selectFrom('events')
    .select(['id', 'received_at', 'resource_id'])
    .where('id', '>', cursor)
    .orderBy('id')
    .limit(stepSize)
    .execute()
  const old = rows.filter((row) => row.received_at < cutoff)
  const busy = await readBusy(trx, [...new Set(old.map((row) => row.resource_id))])
  const ids = old.filter((row) => !busy.has(row.resource_id)).map(({ id }) => id)
  if (ids.length > 0) await trx.deleteFrom('events').where('id', 'in', ids).execute()
  return { cursor: rows.at(-1)?.id ?? cursor, deleted: ids.length, isDone: old.length < stepSize }
}

async function readBusy(trx: Transaction<Tables>, resourceIds: readonly string[]): Promise<Set<string>> {
  if (resourceIds.length === 0) return new Set()
  const due = await trx
    .selectFrom('resources')
    .select('id')
    .where('id', 'in', resourceIds)
    .where('due_at', 'is not', null)
    .execute()
  const parked = await trx
    .selectFrom('progress')
    .select('resource_id as id')
    .where('resource_id', 'in', resourceIds)
    .where('state', '=', 'parked')
    .execute()
  return new Set([...due, ...parked].map(({ id }) => id))
}

/** Forgets what terminal resources at rest looked like, a few at a time, once their last event is gone; resolves with their number. Their ids, progress and remembered effects stay. */
export async function purgeSnapshots(trx: Transaction<Tables>, cutoff: number): Promise<number> {
  const rows = await trx
    .selectFrom('resources')
    .select('id')
    .where('terminal', '=', 1)
    .where('snapshot', 'is not', null)
    .where('snapshot_at', '<', cutoff)
    .where('due_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(eb.selectFrom('events').select('events.id').whereRef('events.resource_id', '=', 'resources.id')),
      ),
    )
    .limit(stepSize)
    .execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  await trx.updateTable('resources').set({ snapshot: null, snapshot_event_id: null }).where('id', 'in', ids).execute()
  await trx.updateTable('progress').set({ baseline: null }).where('resource_id', 'in', ids).execute()
  await trx.deleteFrom('attempts').where('resource_id', 'in', ids).where('finished_at', '<', cutoff).execute()
  return ids.length
}
