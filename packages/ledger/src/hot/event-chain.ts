import { type Kysely, sql } from 'kysely'
import { strayNumberOf } from '../resource-number.ts'
import type { Tables } from '../tables.ts'

/** Numbers of a resource's events, newest first: walked back from its newest one by their keys, and the strays with its id. */
export async function readEventIds(
  db: Kysely<Tables>,
  resourceId: string,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit = Number.MAX_SAFE_INTEGER,
  }: { before?: number | undefined; limit?: number } = {},
): Promise<number[]> {
  const resource = await db
    .selectFrom('resources')
    .select('newest_event_id')
    .where('id', '=', resourceId)
    .executeTakeFirst()
  const newest = resource?.newest_event_id ?? 0
  const { rows } = await sql<{ id: number }>`
    with recursive chain (id, previous) as (
      select id, previous from events where id = ${newest}
      union all
      select events.id, events.previous from chain join events on events.id = chain.previous)
    select id from chain where id < ${before}
    union all
    select id from events where kind is null and resource = ${strayNumberOf(resourceId)} and id < ${before}
    order by id desc limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Max events read per statement. */
const partSize = 500

/** The numbers of these events in parts, each small enough for one statement. */
export function* inParts(ids: readonly number[]): Generator<number[]> {
  for (let at = 0; at < ids.length; at += partSize) yield ids.slice(at, at + partSize)
}
