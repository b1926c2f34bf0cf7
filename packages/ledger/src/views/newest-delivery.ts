import { type Kysely, sql } from 'kysely'
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
  const { rows: runs } = await sql<{ synced_at: number | null }>`
    select max(finished_at) as synced_at from attempts
    where resource = ${event.resource} and result = 'succeeded' and last_event_id >= ${event.id}
      and not exists (select 1 from work where resource = ${event.resource})`.execute(db)
  return { receivedAt: event.received_at, syncedAt: runs[0]?.synced_at ?? undefined }
}
