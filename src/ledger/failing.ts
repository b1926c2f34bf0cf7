import { type Kysely, sql } from 'kysely'
import type { Failing } from './ledger.ts'
import type { Tables } from './tables.ts'

/** Of one handler, this many are counted at the most. */
const maxCounted = 10_000

/** What each of these handlers failed at and will try again; handlers without such work are left out. */
export async function readFailing(
  db: Kysely<Tables>,
  handlerNames: readonly string[],
  now: number,
): Promise<Failing[]> {
  const found: Failing[] = []
  for (const handler of handlerNames) {
    const failing = selectFailing(db, handler)
    const oldest = await failing
      .select(['resource_id', 'attempts', 'error_code', 'error_message'])
      .orderBy('tried_event_id')
      .limit(1)
      .executeTakeFirst()
    if (oldest === undefined) continue
    const { count } = await db
      .selectFrom(failing.select('tried_event_id').limit(maxCounted).as('failing'))
      .select((eb) => eb.fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    const { resource_id: resourceId, attempts, error_code: errorCode, error_message: errorMessage } = oldest
    const since = (await readFailingSince(db, resourceId, handler)) ?? now
    found.push({
      handler,
      count: Number(count),
      oldest: {
        resourceId,
        forMs: Math.max(0, now - since),
        attempts,
        errorCode: errorCode ?? 'unexpected',
        errorMessage: errorMessage ?? '',
      },
    })
  }
  return found
}

/** The work that a handler failed at and will try again; the index progress_failing finds it. */
export function selectFailing(db: Kysely<Tables>, handler: string) {
  return db
    .selectFrom('progress')
    .where('state', '=', 'due')
    .where('error_code', 'is not', null)
    .where('handler', '=', handler)
}

/** When the first attempt failed since the last one that did not. */
async function readFailingSince(db: Kysely<Tables>, resourceId: string, handler: string): Promise<number | undefined> {
  const attempts = db.selectFrom('attempts').where('resource_id', '=', resourceId).where('handler', '=', handler)
  const row = await attempts
    .select('started_at')
    .where('id', '>', (eb) =>
      eb.fn.coalesce(
        attempts.where('result', '=', 'succeeded').select((success) => success.fn.max('id').as('id')),
        sql.lit(0),
      ),
    )
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return row?.started_at
}
