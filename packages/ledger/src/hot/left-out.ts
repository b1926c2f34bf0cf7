import type { Kysely, Transaction } from 'kysely'
import { type Tables } from '../tables.ts'
import { everyType, leftOutFiles } from '@pawl/base/system-notes'
import type { Run } from './notes.ts'
import { numberOf, numbersOf } from '../resource-number.ts'
import type { ResourceKind } from 'pawl-client/schemas/kinds'
import type { ViewCore } from '../core.ts'

/** A system that takes no writes, with the number of resources not written there and the reason. */
export interface LeftOut {
  system: string
  /** Capped at `maxLeftOutCounted`. */
  count: number
  reason: string
}

/** A file that a system could not hold: people look at it elsewhere. */
export interface LeftOutFile {
  id: string
  kind: ResourceKind
  /** As the connector names it: its kind, and after a slash what tells it from others. */
  file: string
  system: string
  since: number
}

/** Cap of the count, per system. */
export const maxLeftOutCounted = 10_000

/** Records a run's skipped writes. */
export async function saveLeftOut(
  trx: Transaction<Tables>,
  runs: readonly { number: number; run: Pick<Run, 'leftOut'> }[],
  now: number,
): Promise<void> {
  const rows = runs.flatMap(({ number, run: { leftOut = [] } }) =>
    leftOut.map((each) => ({ resource: number, ...each, at: now, done_at: null })),
  )
  // Distinct: one statement must not set a row twice.
  const distinct = new Map(rows.map((row) => [JSON.stringify([row.resource, row.system, row.type]), row]))
  if (distinct.size === 0) return
  await trx
    .insertInto('left_out')
    .values([...distinct.values()])
    .onConflict((conflict) =>
      conflict
        .columns(['resource', 'system', 'type'])
        .doUpdateSet((eb) => ({ reason: eb.ref('excluded.reason'), at: eb.ref('excluded.at') })),
    )
    .execute()
}

/** Systems that took no writes for some resources. */
async function readLeftOut(db: Kysely<Tables>): Promise<LeftOut[]> {
  const systems = await db.selectFrom('left_out').select('system').distinct().where('type', '=', everyType).execute()
  return Promise.all(
    systems.map(async ({ system }) => {
      const ofIt = db.selectFrom('left_out').where('system', '=', system).where('type', '=', everyType)
      const { count } = await db
        .selectFrom(ofIt.select('resource').limit(maxLeftOutCounted).as('some'))
        .select((eb) => eb.fn.countAll().as('count'))
        .executeTakeFirstOrThrow()
      const newest = await ofIt.select('reason').orderBy('at', 'desc').limit(1).executeTakeFirstOrThrow()
      return { system, count: Number(count), reason: newest.reason }
    }),
  )
}

/** The newest left-out files since a time that no person saw to, the newest first. */
async function readLeftOutFiles(db: Kysely<Tables>, since: number, limit: number): Promise<LeftOutFile[]> {
  const systems = await db.selectFrom('left_out').select('system').distinct().execute()
  const found = await Promise.all(
    systems.map(({ system }) =>
      db
        .selectFrom('left_out')
        .innerJoin('resources', 'number', 'resource')
        .select(['id', 'kind', 'system', 'type', 'at'])
        .where('system', '=', system)
        .where('type', '>=', leftOutFiles)
        .where('type', '<', `${leftOutFiles}~`)
        .where('at', '>=', since)
        .where('done_at', 'is', null)
        .orderBy('at', 'desc')
        .limit(limit)
        .execute(),
    ),
  )
  return found
    .flat()
    .map(({ id, kind, system, type, at }) => ({ id, kind, system, file: type.slice(leftOutFiles.length), since: at }))
    .toSorted((one, other) => other.since - one.since)
    .slice(0, limit)
}

/** Records that a person saw to a left-out file; `false` if none of that name is listed. */
export async function endLeftOutFile(
  trx: Transaction<Tables>,
  { id, system, file }: Pick<LeftOutFile, 'id' | 'system' | 'file'>,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('left_out')
    .set({ done_at: now })
    .where('resource', 'in', numbersOf([id]))
    .where('system', '=', system)
    .where('type', '=', `${leftOutFiles}${file}`)
    .where('done_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0
}

/** The next few resources after `after` with skipped writes of these types. */
async function findLeftOut(
  db: Kysely<Tables>,
  { system, types, after }: { system: string; types: readonly string[]; after: string },
  limit: number,
): Promise<string[]> {
  if (types.length === 0) return []
  const rows = await db
    .selectFrom('left_out')
    .innerJoin('resources', 'number', 'resource')
    .select(['number', 'id'])
    .distinct()
    .where('system', '=', system)
    .where('type', 'in', types)
    .where('resource', '>', after === '' ? 0 : numberOf(after))
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes the records of skipped writes of these types; a run that skips one again records it anew. */
export async function forgetLeftOut(
  trx: Transaction<Tables>,
  { system, types, resourceIds }: { system: string; types: readonly string[]; resourceIds: readonly string[] },
): Promise<void> {
  if (resourceIds.length === 0) return
  await trx
    .deleteFrom('left_out')
    .where('system', '=', system)
    .where('type', 'in', [...types, everyType])
    .where('resource', 'in', numbersOf(resourceIds))
    .execute()
}

/** Reads of skipped writes. */
export type LeftOutViews = ReturnType<typeof createLeftOutViews>

export function createLeftOutViews({ db }: ViewCore) {
  return {
    /** Systems that took no writes for some resources, from runs whose skipped writes were not written since. */
    leftOut: () => readLeftOut(db),
    /** The newest left-out files since a time that no person saw to, the newest first. */
    leftOutFiles: (since: number, limit: number) => readLeftOutFiles(db, since, limit),
    /** The next few resources after this one with writes of these types that a system did not take. */
    findLeftOut: (sought: { system: string; types: readonly string[]; after: string }, limit: number) =>
      findLeftOut(db, sought, limit),
  }
}
