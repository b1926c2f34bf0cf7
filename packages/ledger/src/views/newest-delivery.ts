import { type Kysely, sql } from 'kysely'
import { walkJournal } from '../hot/journal-rows.ts'
import type { Tables } from '../tables.ts'

/** The newest webhook, and when all its handlers had caught up with it. */
export interface NewestDelivery {
  receivedAt: number
  /** Absent while a handler still has to catch up, and if no handler follows it. */
  syncedAt: number | undefined
}

/** Newest events read; polls may hide a webhook behind them. */
const maxEvents = 200

/** The newest webhook among the newest events. */
export async function readNewestDelivery(db: Kysely<Tables>): Promise<NewestDelivery | undefined> {
  const { rows } = await sql<{ id: number; resource: number; received_at: number }>`
    select id, resource, received_at
    from (select id, resource, received_at, source from events order by id desc limit ${maxEvents}) as newest
    where source = 'webhook' order by id desc limit 1`.execute(db)
  const [event] = rows
  if (event === undefined) return undefined
  return { receivedAt: event.received_at, syncedAt: await readSyncedAt(db, event) }
}

/** When the last handler was in sync with this event; `undefined` while one is not, and if no handler follows it. */
async function readSyncedAt(
  db: Kysely<Tables>,
  { id, resource }: { id: number; resource: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom('resources')
    .select('journal_id')
    .where('number', '=', resource)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('work').select('handler').whereRef('work.resource', '=', 'resources.number'))),
    )
    .executeTakeFirst()
  let syncedAt: number | undefined
  for await (const { entry } of walkJournal(db, row?.journal_id ?? null)) {
    const later = entry.runs.filter(({ lastEventId }) => lastEventId >= id)
    for (const { result, finishedAt } of later)
      if (result === 'succeeded') syncedAt = Math.max(syncedAt ?? finishedAt, finishedAt)
    if (later.length < entry.runs.length) break
  }
  return syncedAt
}
