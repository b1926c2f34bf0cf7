import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

type Db = Kysely<Tables>

/** Max events counted one by one: those that the history has not counted yet. */
const maxCounted = 100_000

/** Number of stored events: kept by the history, which counts each new one, and by retention, which deletes them. Without the history running, it stays behind. */
export async function countStored(db: Db): Promise<number> {
  const { rows } = await sql<{ stored: number; rest: number }>`
    select coalesce(max(stored), 0) as stored, (select count(*) from (
      select 1 from events where id > coalesce((select last_id from tallied where source = 'events'), 0)
      limit ${maxCounted}) as uncounted) as rest
    from tallied where source = 'events'`.execute(db)
  return (rows[0]?.stored ?? 0) + (rows[0]?.rest ?? 0)
}

/** Takes deleted events off the total, those that were counted. */
export async function uncountEvents(db: Db, ids: readonly number[]): Promise<void> {
  await uncount(db, (last) => ids.filter((id) => id <= last).length)
}

/** Takes the events of a dropped partition off the total. */
export async function uncountPartition(db: Db, { to, count }: { to: number; count: number }): Promise<void> {
  await uncount(db, (last) => (to <= last ? count : 0))
}

async function uncount(db: Db, countUpTo: (last: number) => number): Promise<void> {
  const counted = await db.selectFrom('tallied').select('last_id').where('source', '=', 'events').executeTakeFirst()
  const gone = countUpTo(counted?.last_id ?? 0)
  if (gone === 0) return
  await db
    .updateTable('tallied')
    .set((eb) => ({ stored: eb('stored', '-', gone) }))
    .where('source', '=', 'events')
    .execute()
}
