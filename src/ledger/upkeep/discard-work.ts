import type { Transaction } from 'kysely'
import type { Tables } from '../tables.ts'

/** What became of work that was to be changed by hand: `in_work` is to be tried again in a moment. */
export type Discarded = 'discarded' | 'in_work' | 'nothing'

/** Has a handler that was parked or fails count as synced, without a run; what is stored from now on makes it due as usual, and its baseline stays, so that it then sees what it missed. */
export async function discardWork(
  trx: Transaction<Tables>,
  { resourceId, handler }: { resourceId: string; handler: string },
  now: number,
): Promise<Discarded> {
  const row = await trx
    .selectFrom('resources')
    .innerJoin('progress', 'progress.resource_id', 'resources.id')
    .select(['newest_event_id', 'claim_until', 'handled_event_id'])
    .where('id', '=', resourceId)
    .where('handler', '=', handler)
    .where('state', '!=', 'synced')
    .executeTakeFirst()
  if (row === undefined) return 'nothing'
  // Whoever holds it would record over this what comes of the run.
  if (row.claim_until !== null && row.claim_until > now) return 'in_work'
  const newest = row.newest_event_id
  await trx
    .updateTable('progress')
    .set({
      state: 'synced',
      handled_event_id: newest,
      tried_event_id: newest,
      attempts: 0,
      due_at: null,
      error_code: null,
      error_message: null,
      parked_at: null,
      waits_since: null,
    })
    .where('resource_id', '=', resourceId)
    .where('handler', '=', handler)
    .execute()
  await trx
    .insertInto('attempts')
    .values({
      resource_id: resourceId,
      handler,
      started_at: now,
      finished_at: now,
      result: 'discarded',
      writes: '[]',
      first_event_id: Math.min(row.handled_event_id + 1, newest),
      last_event_id: newest,
    })
    .execute()
  // Whoever claims it next finds out when its other handlers are due.
  await trx
    .updateTable('resources')
    .set((eb) => ({ retries: eb('retries', '+', 1), due_at: now }))
    .where('id', '=', resourceId)
    .execute()
  return 'discarded'
}
