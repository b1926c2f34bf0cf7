import type { Transaction } from 'kysely'
import { synced } from '../hot/progress.ts'
import type { Tables } from '../tables.ts'

/** Result of discarding work; `in_work`: try again in a moment. */
export type Discarded = 'discarded' | 'in_work' | 'nothing'

/** Marks a parked or failing handler as synced, without a run. Later events make it due as usual, and its kept baseline then shows what it missed. */
export async function discardWork(
  trx: Transaction<Tables>,
  { resourceId, handler }: { resourceId: string; handler: string },
  now: number,
): Promise<Discarded> {
  const row = await trx
    .selectFrom('resources')
    .innerJoin('progress', 'progress.resource', 'resources.number')
    .select(['number', 'newest_event_id', 'claim_until', 'handled_event_id'])
    .where('id', '=', resourceId)
    .where('handler', '=', handler)
    .where('state', '!=', 'synced')
    .executeTakeFirst()
  if (row === undefined) return 'nothing'
  // The claim's holder would overwrite this with the result of its run.
  if (row.claim_until !== null && row.claim_until > now) return 'in_work'
  const newest = row.newest_event_id
  await trx
    .updateTable('progress')
    .set({ ...synced, handled_event_id: newest, tried_event_id: newest })
    .where('resource', '=', row.number)
    .where('handler', '=', handler)
    .execute()
  await trx
    .insertInto('attempts')
    .values({
      resource: row.number,
      handler,
      started_at: now,
      finished_at: now,
      result: 'discarded',
      writes: '[]',
      first_event_id: Math.min(row.handled_event_id + 1, newest),
      last_event_id: newest,
    })
    .execute()
  // The next claim computes when its other handlers are due.
  await trx
    .updateTable('resources')
    .set((eb) => ({ retries: eb('retries', '+', 1), due_at: now }))
    .where('id', '=', resourceId)
    .execute()
  return 'discarded'
}
