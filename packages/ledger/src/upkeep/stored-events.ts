import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Max events counted one by one: those that the history has not counted yet. */
const maxCounted = 100_000

/** Number of stored events: kept by the history, which counts each new one, and by retention, which deletes them. Without the history running, it stays behind. */
export async function countStored(db: Db): Promise<number> {
  const { rows } = await sql<{ stored: number; rest: number }>`
    select coalesce(max(stored), 0) as stored, (select count(*) from (
      select 1 from events where id > coalesce((select last_id from projections where name = 'deliveries'), 0)
      limit ${maxCounted}) as uncounted) as rest
    from projections where name = 'deliveries'`.execute(db)
  return (rows[0]?.stored ?? 0) + (rows[0]?.rest ?? 0)
}

/** Takes deleted events off the total, if it counted the last of them: old ones were counted long ago. */
export async function uncountEvents(db: Db, last: number, count: number): Promise<void> {
  if (count === 0) return
  await db
    .updateTable('projections')
    .set((eb) => ({ stored: eb('stored', '-', count) }))
    .where('name', '=', 'deliveries')
    .where('last_id', '>=', last)
    .execute()
}
