import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'
import type { BodyStore } from './body-store.ts'

type Db = Kysely<Tables>

/** Deleted from the store at once. */
const atOnce = 500

/** Notes, in the commit that removes or empties these events, that their bodies are to be deleted from the store: what is noted is deleted, however often pawl is killed or the store is away. */
export async function noteGoneOf(trx: Db, eventIds: readonly number[]): Promise<void> {
  const rows = await trx
    .selectFrom('events')
    .select('body_key')
    .where('id', 'in', eventIds)
    .where('body_key', 'is not', null)
    .execute()
  await noteGone(
    trx,
    rows.flatMap(({ body_key: key }) => key ?? []),
  )
}

/** Notes that these are to be deleted from the store. */
export async function noteGone(trx: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await trx
    .insertInto('gone_bodies')
    .values(keys.map((key) => ({ body_key: key })))
    .onConflict((conflict) => conflict.column('body_key').doNothing())
    .execute()
}

/** How many are still to be deleted from the store. */
export async function countGone(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('gone_bodies')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Deletes from the store what was noted; resolves with how many. Throws `BodyStoreAway`. */
export async function deleteGone(
  db: Db,
  store: Pick<BodyStore, 'delete'>,
  write: (work: (trx: Db) => Promise<unknown>) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for (;;) {
    const rows = await db.selectFrom('gone_bodies').select('body_key').orderBy('body_key').limit(atOnce).execute()
    const keys = rows.map(({ body_key: key }) => key)
    if (keys.length === 0) return count
    await store.delete(keys)
    // Only now: until then the next turn finds them again.
    await write((trx) => trx.deleteFrom('gone_bodies').where('body_key', 'in', keys).execute())
    count += keys.length
  }
}
