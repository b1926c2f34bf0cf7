import { type Kysely, sql } from 'kysely'
import type { Tables } from '../tables.ts'

/** How long bodies and snapshots are kept, in milliseconds. */
export interface Keep {
  keepMs: number
  /** Those of parked work, from when it was parked. */
  parkedKeepMs: number
  /** How resources came out, from when they were first heard of. */
  reportKeepMs: number
}

/** What retention takes away, by kind. */
export interface Purged {
  deliveries: number
  /** Bodies of deliveries whose work has been due for too long; the deliveries stay. */
  dueBodies: number
  /** The same of work that has been parked for too long. */
  parkedBodies: number
  /** What resources looked like, with all that was kept of it. */
  snapshots: number
  /** What handlers last succeeded with, of resources that went on without concerning them. */
  baselines: number
  /** What effects returned, of resources that went on. */
  effects: number
  /** Rows of the report. */
  outcomes: number
  /** Names and codes that the catalogue does not know and that were not met any more. */
  drift: number
}

/** What one step of retention deleted; of a dry run, what it would, where of each kind but deliveries, their bodies and drift `maxPurgeCounted` are counted at the most. */
export interface PurgeStep extends Purged {
  /** Deliveries looked through. */
  looked: number
  /** Ask with it for the next step; absent: that was all. */
  cursor: number | undefined
}

type Db = Kysely<Tables>

/** How long contents are kept, in milliseconds, and what time it is. */
export interface PurgeLimits extends Keep {
  now: number
}

/** How far a purge of events has come. */
export interface EventStep {
  /** The last event that was looked at. */
  cursor: number
  looked: number
  deliveries: number
  /** Bodies of work that has been due, or parked, for too long. */
  dueBodies: number
  parkedBodies: number
  isDone: boolean
}

/** Rows that one step of a purge looks at: few enough that nobody waits for it. */
export const purgedAtOnce = 500
const dayMs = 86_400_000
/** Work may be due for long because a system is away; its contents are kept so much longer. */
export const dueGraceMs = 7 * dayMs

/**
 * Deletes, or with `dryRun` only counts, of the next few events after `cursor`, those that are too old. Of work that is due, or was parked for too long, the rows stay without their bodies: what is handled in the end is asked of the service anyway.
 * Ids grow with time, so the first younger one ends it; `last` ends the step, as what is behind it may be dropped with its partition.
 */
export async function purgeEvents(
  db: Db,
  cursor: number,
  { dryRun, last, ...limits }: PurgeLimits & { dryRun: boolean; last?: number | undefined },
): Promise<EventStep> {
  const cutoff = limits.now - limits.keepMs
  const rows = await db
    .selectFrom('events')
    .select(['id', 'received_at', 'resource_id'])
    .where('id', '>', cursor)
    .where('id', '<=', last ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id')
    .limit(purgedAtOnce)
    .execute()
  const isAll = rows.length < purgedAtOnce
  const old = rows.filter((row) => row.received_at < cutoff)
  const { due, parkedAt } = await readStates(db, [...new Set(old.map((row) => row.resource_id))])
  const deletable: number[] = []
  const waitedTooLong: number[] = []
  const parkedTooLong: number[] = []
  for (const { id, received_at: receivedAt, resource_id: resourceId } of old) {
    const parked = parkedAt.get(resourceId)
    if (parked === undefined && !due.has(resourceId)) deletable.push(id)
    else if (parked === undefined) {
      if (receivedAt < cutoff - dueGraceMs) waitedTooLong.push(id)
    } else if (parked < limits.now - limits.parkedKeepMs) parkedTooLong.push(id)
  }
  if (deletable.length > 0 && !dryRun) await db.deleteFrom('events').where('id', 'in', deletable).execute()
  return {
    cursor: (isAll ? last : undefined) ?? rows.at(-1)?.id ?? cursor,
    looked: rows.length,
    deliveries: deletable.length,
    dueBodies: await emptyBodies(db, waitedTooLong, dryRun),
    parkedBodies: await emptyBodies(db, parkedTooLong, dryRun),
    isDone: old.length < rows.length || (isAll && last === undefined),
  }
}

async function emptyBodies(db: Db, ids: readonly number[], dryRun: boolean): Promise<number> {
  if (ids.length === 0) return 0
  const isFull = sql<boolean>`length(body) > 0`
  if (dryRun) {
    const full = await db.selectFrom('events').select('id').where('id', 'in', ids).where(isFull).execute()
    return full.length
  }
  const { numUpdatedRows } = await db
    .updateTable('events')
    .set({ body: Buffer.alloc(0) })
    .where('id', 'in', ids)
    .where(isFull)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Which of these resources have work due, and when the newest of their parked work was parked. */
async function readStates(
  db: Db,
  resourceIds: readonly string[],
): Promise<{ due: ReadonlySet<string>; parkedAt: ReadonlyMap<string, number> }> {
  if (resourceIds.length === 0) return { due: new Set(), parkedAt: new Map() }
  const due = await db
    .selectFrom('resources')
    .select('id')
    .where('id', 'in', resourceIds)
    .where('due_at', 'is not', null)
    .execute()
  const parked = await db
    .selectFrom('progress')
    .select(['resource_id as id', (eb) => eb.fn.max('parked_at').as('at')])
    .where('resource_id', 'in', resourceIds)
    .where('state', '=', 'parked')
    .groupBy('resource_id')
    .execute()
  return { due: new Set(due.map(({ id }) => id)), parkedAt: new Map(parked.map(({ id, at }) => [id, at ?? 0])) }
}
