import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Run } from './notes.ts'

/** A system that takes nothing, of how many resources nothing was written there, and why. */
export interface LeftOut {
  system: string
  /** `maxLeftOutCounted` at the most. */
  count: number
  reason: string
}

/** The type that stands for all: nothing at all is written to the system. */
export const everyType = '*'

/** Of one system, this many resources are counted at the most. */
export const maxLeftOutCounted = 10_000

/** Notes what a run left out, since its system does not take it. */
export async function saveLeftOut(
  trx: Transaction<Tables>,
  runs: readonly { resourceId: string; run: Pick<Run, 'leftOut'> }[],
  now: number,
): Promise<void> {
  const rows = runs.flatMap(({ resourceId, run: { leftOut = [] } }) =>
    leftOut.map((each) => ({ resource_id: resourceId, ...each, at: now })),
  )
  // Each once: no statement may set a row twice.
  const distinct = new Map(rows.map((row) => [JSON.stringify([row.resource_id, row.system, row.type]), row]))
  if (distinct.size === 0) return
  await trx
    .insertInto('left_out')
    .values([...distinct.values()])
    .onConflict((conflict) =>
      conflict
        .columns(['resource_id', 'system', 'type'])
        .doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason'), at: eb.ref('excluded.at') })),
    )
    .execute()
}

/** Systems to which nothing was written for some resources, as they take nothing. */
export async function readLeftOut(db: Kysely<Tables>): Promise<LeftOut[]> {
  const systems = await db.selectFrom('left_out').select('system').distinct().where('type', '=', everyType).execute()
  return Promise.all(
    systems.map(async ({ system }) => {
      const ofIt = db.selectFrom('left_out').where('system', '=', system).where('type', '=', everyType)
      const { count } = await db
        .selectFrom(ofIt.select('resource_id').limit(maxLeftOutCounted).as('some'))
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      const newest = await ofIt.select('reason').orderBy('at', 'desc').limit(1).executeTakeFirstOrThrow()
      return { system, count: Number(count), reason: newest.reason }
    }),
  )
}

/** The next few resources after `after` of which one of these types was left out. */
export async function findLeftOut(
  db: Kysely<Tables>,
  { system, types, after }: { system: string; types: readonly string[]; after: string },
  limit: number,
): Promise<string[]> {
  if (types.length === 0) return []
  const rows = await db
    .selectFrom('left_out')
    .select('resource_id')
    .distinct()
    .where('system', '=', system)
    .where('type', 'in', types)
    .where('resource_id', '>', after)
    .orderBy('resource_id')
    .limit(limit)
    .execute()
  return rows.map(({ resource_id: id }) => id)
}

/** Forgets that these types were left out of these resources; a run that leaves one out again notes it anew. */
export async function forgetLeftOut(
  trx: Transaction<Tables>,
  { system, types, resourceIds }: { system: string; types: readonly string[]; resourceIds: readonly string[] },
): Promise<void> {
  if (resourceIds.length === 0) return
  await trx
    .deleteFrom('left_out')
    .where('system', '=', system)
    .where('type', 'in', [...types, everyType])
    .where('resource_id', 'in', resourceIds)
    .execute()
}
