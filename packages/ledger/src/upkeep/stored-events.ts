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

/** Takes deleted events off the total, those that were counted. */
export async function uncountEvents(db: Db, ids: readonly number[]): Promise<void> {
  await uncount(db, (last) => ids.filter((id) => id <= last).length)
}

/** Takes the events of a dropped partition off the total: old ones, which were counted long ago. */
export async function uncountPartition(db: Db, { from, count }: { from: number; count: number }): Promise<void> {
  await uncount(db, (last) => (from <= last ? count : 0))
}

async function uncount(db: Db, countUpTo: (last: number) => number): Promise<void> {
  const counted = await db
    .selectFrom('projections')
    .select('last_id')
    .where('name', '=', 'deliveries')
    .executeTakeFirst()
  const gone = countUpTo(counted?.last_id ?? 0)
  if (gone === 0) return
  await db
    .updateTable('projections')
    .set((eb) => ({ stored: eb('stored', '-', gone) }))
    .where('name', '=', 'deliveries')
    .execute()
}
