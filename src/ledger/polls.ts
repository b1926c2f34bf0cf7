import type { Transaction } from 'kysely'
import type { Tables } from './tables.ts'

/** Has every resource polled soon that may still change, and every one heard of since `since`, however final it looks. */
export async function pollSoon(trx: Transaction<Tables>, since: number, now: number): Promise<number> {
  const { numUpdatedRows } = await trx
    .updateTable('resources')
    .set({ next_poll_at: now })
    .where('kind', '<>', 'provider_outreach')
    .where((eb) =>
      eb.or([
        eb('next_poll_at', 'is not', null),
        eb('terminal', '=', 0),
        eb('newest_event_id', 'in', eb.selectFrom('events').select('events.id').where('received_at', '>=', since)),
      ]),
    )
    .executeTakeFirst()
  return Number(numUpdatedRows)
}
