import type { Kysely } from 'kysely'
import type { Tables } from '../tables.ts'

/** Deliveries refused for one reason. */
export interface Refused {
  reason: string
  count: number
  /** When the first and the last was refused. */
  firstAt: number
  lastAt: number
}

/** Max rows read, newest first: about as many as are kept. */
const maxRows = 10_000

/** Counts refused deliveries since a moment by reason, most frequent first. */
export async function readRefused(db: Kysely<Tables>, since: number): Promise<Refused[]> {
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom('rejections')
        .select(['id', 'reason', 'rejected_at'])
        .orderBy('id', 'desc')
        .limit(maxRows)
        .as('newest'),
    )
    .select((eb) => ['reason', eb.fn.countAll().as('count'), eb.fn.min('rejected_at').as('first_at')])
    .select((eb) => eb.fn.max('rejected_at').as('last_at'))
    .where('rejected_at', '>', since)
    .groupBy('reason')
    .execute()
  return rows
    .map(({ reason, count, first_at, last_at }) => ({
      reason,
      count: Number(count),
      firstAt: first_at,
      lastAt: last_at,
    }))
    .toSorted((one, other) => other.count - one.count || one.reason.localeCompare(other.reason))
}
