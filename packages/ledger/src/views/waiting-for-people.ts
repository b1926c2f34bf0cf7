import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Page } from './rows.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import { numberOf } from '../resource-number.ts'
import type { ViewCore } from '../core.ts'

/** A resource that waits for a person. */
export interface WaitingForPeople {
  id: string
  kind: ResourceKind
  /** Reason code of `service/schemas/waits-for-people.ts`. */
  reason: string
  since: number
}

/** Cursor: the last resource read. */
export type WaitingCursor = Pick<WaitingForPeople, 'since' | 'id'>

/** Max rows read per page: resources already replaced are skipped. */
const maxRowsRead = 1_000

/** Resources that wait for a person and were not replaced, longest waiting first, by the index `resources_waiting`. */
async function listWaitingForPeople(
  db: Kysely<Tables>,
  limit: number,
  after: WaitingCursor | undefined,
): Promise<Page<WaitingForPeople, WaitingCursor>> {
  const rows: WaitingForPeople[] = []
  let last = after
  // One page at a time: usually the first suffices.
  for (let looked = 0; looked < maxRowsRead; looked += limit) {
    const found = await readAfter(db, limit, last)
    const followed = await readFollowed(db, found)
    for (const each of found) {
      if (rows.length === limit) return { rows, next: keyOf(rows.at(-1)) }
      if (!followed.has(each.id)) rows.push(each)
    }
    if (found.length < limit) return { rows, next: undefined }
    last = keyOf(found.at(-1))
  }
  return { rows, next: last }
}

/** Cap of the count. */
const maxPeopleCounted = 1_000

async function readAfter(
  db: Kysely<Tables>,
  limit: number,
  after: WaitingCursor | undefined,
): Promise<WaitingForPeople[]> {
  let query = db
    .selectFrom('resources')
    .select(['id', 'kind', 'waits_for', 'person_since'])
    .where('waits_for', 'is not', null)
    .orderBy('person_since')
    .orderBy('number')
    .limit(limit)
  if (after !== undefined)
    query = query.where(sql<boolean>`(person_since, number) > (${after.since}, ${numberOf(after.id)})`)
  return (await query.execute()).map(({ id, kind, waits_for: reason, person_since: since }) => ({
    id,
    kind,
    reason: reason ?? '',
    since: since ?? 0,
  }))
}

/** Those already replaced by another resource. */
async function readFollowed(db: Kysely<Tables>, found: readonly WaitingForPeople[]): Promise<ReadonlySet<string>> {
  if (found.length === 0) return new Set()
  const ids = found.map(({ id }) => id)
  const rows = await db.selectFrom('resources').select('follows_up').where('follows_up', 'in', ids).execute()
  return new Set(rows.flatMap(({ follows_up: id }) => id ?? []))
}

function keyOf(row: WaitingForPeople | undefined): WaitingCursor | undefined {
  return row && { since: row.since, id: row.id }
}

/** Reads of resources that wait for a person. */
export type PeopleViews = ReturnType<typeof createPeopleViews>

export function createPeopleViews({ db }: ViewCore) {
  return {
    /** Resources that wait for a person and were not replaced, longest waiting first. */
    waitingForPeople: (limit: number, after?: WaitingCursor) => listWaitingForPeople(db, limit, after),
    /** The length of that list, capped at 1,000. */
    async countWaitingForPeople(): Promise<number> {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from (
          select 1 from resources as waiting where waits_for is not null and person_since is not null
            and not exists (select 1 from resources as next where next.follows_up = waiting.id)
          limit ${maxPeopleCounted}) as counted`.execute(db)
      return Number(rows[0]?.count)
    },
  }
}
