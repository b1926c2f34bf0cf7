import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import { dayOf, eventIdOf } from './body-key.ts'
import type { BodyStore } from './body-store.ts'

type Db = Kysely<Tables>

const dayMs = 86_400_000

/**
 * Deletes from the store what no event points to any more, of the days that are older than `keepMs` and a day: what was left behind by a process that was killed, and the bodies of events that were deleted many at a time.
 * An event that this ledger has not come to yet is left alone: the store may be that of another. Resolves with how many. Throws `BodyStoreAway`.
 */
export async function reconcileBodies(
  db: Db,
  store: Pick<BodyStore, 'days' | 'list' | 'delete'>,
  { now, keepMs }: { now: number; keepMs: number },
): Promise<number> {
  const end = dayOf(now - keepMs - dayMs)
  const days = (await store.days()).filter((day) => day < end).toSorted()
  if (days.length === 0) return 0
  const newest = await readNewest(db)
  let count = 0
  for (const day of days) {
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await store.list(day, cursor)
      const strays = await findStrays(db, page.keys, newest)
      await store.delete(strays)
      count += strays.length
      cursor = page.cursor
    }
  }
  return count
}

/** The newest event that this ledger ever came to, as far as it still knows: resources outlive their events. */
async function readNewest(db: Db): Promise<number> {
  const event = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  const resource = await db
    .selectFrom('resources')
    .select((eb) => eb.fn.max('newest_event_id').as('id'))
    .executeTakeFirst()
  return Math.max(event?.id ?? 0, resource?.id ?? 0)
}

async function findStrays(db: Db, keys: readonly string[], newest: number): Promise<string[]> {
  const strays: string[] = []
  for (let at = 0; at < keys.length; at += 500) {
    const some = keys.slice(at, at + 500).map((key) => ({ key, id: eventIdOf(key) }))
    const ids = some.flatMap(({ id }) => id ?? [])
    const rows =
      ids.length === 0
        ? []
        : await db
            .selectFrom('events')
            .select((eb) => ['id', 'body_key', eb.fn<number>('length', ['body']).as('size')])
            .where('id', 'in', ids)
            .execute()
    const events = new Map(rows.map((row) => [row.id, row]))
    for (const { key, id } of some) {
      if (id === undefined) {
        // Of a folder: what a process was writing when it was killed.
        if (key.endsWith('.unfinished')) strays.push(key)
        continue
      }
      const event = events.get(id)
      const isWanted = event !== undefined && (event.body_key === key || event.size > 0)
      if (!isWanted && id <= newest) strays.push(key)
    }
  }
  return strays
}
