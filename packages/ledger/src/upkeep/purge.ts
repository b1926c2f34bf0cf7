import { type Kysely, sql } from 'kysely'
import { unmarkEvents } from '../hot/known-events.ts'
import type { Tables } from '../tables.ts'
import { uncountEvents } from './stored-events.ts'

/** Retention periods of bodies and snapshots, in milliseconds. */
export interface Keep {
  keepMs: number
  /** Parked work, counted from when it was parked. */
  parkedKeepMs: number
  /** Outcomes, counted from when their resources were first heard of. */
  reportKeepMs: number
}

/** Counts of deletions by retention, by kind. */
export interface Purged {
  deliveries: number
  /** Bodies of deliveries whose work has been due for too long; the deliveries stay. */
  dueBodies: number
  /** Bodies of deliveries whose work has been parked for too long; the deliveries stay. */
  parkedBodies: number
  /** Snapshots, with everything stored from them. */
  snapshots: number
  /** Baselines of handlers whose resources moved on without concerning them. */
  baselines: number
  /** Results of effects whose resources moved on. */
  effects: number
  /** Notices of the feed. */
  notices: number
  /** Rows of the report. */
  outcomes: number
}

/** Deletions of one retention step. A dry run counts them instead, capped at `maxPurgeCounted` for each kind except deliveries and their bodies. */
export interface PurgeStep extends Purged {
  /** Number of deliveries read. */
  looked: number
  /** Cursor of the next step; absent at the end. */
  cursor: number | undefined
}

type Db = Kysely<Tables>

/** Retention periods, and the time now, in milliseconds. */
export interface PurgeLimits extends Keep {
  now: number
}

/** Progress of a purge of events. */
export interface EventStep {
  /** The last event read. */
  cursor: number
  looked: number
  deliveries: number
  /** Bodies of work that has been due, or parked, for too long. */
  dueBodies: number
  parkedBodies: number
  isDone: boolean
}

/** Rows read per purge step: few enough not to delay others. */
export const purgedAtOnce = 500
const dayMs = 86_400_000
/** Extra time for contents of due work, which may wait long for a system that is away. */
export const dueGraceMs = 7 * dayMs

/**
 * Deletes, or with `dryRun` only counts, expired events among the next few after `cursor`. Events of work due or parked for too long stay without their bodies: handling reads the resource from the service anyway.
 * Ids grow with time, so the first younger one ends the purge. `last` ends the step, since the partition behind it may be dropped.
 */
export async function purgeEvents(
  db: Db,
  cursor: number,
  { dryRun, last, ...limits }: PurgeLimits & { dryRun: boolean; last?: number | undefined },
): Promise<EventStep> {
  const cutoff = limits.now - limits.keepMs
  const rows = await db
    .selectFrom('events')
    .select(['id', 'previous', 'received_at', 'resource'])
    .where('id', '>', cursor)
    .where('id', '<=', last ?? Number.MAX_SAFE_INTEGER)
    .orderBy('id')
    .limit(purgedAtOnce)
    .execute()
  const isAll = rows.length < purgedAtOnce
  const old = rows.filter((row) => row.received_at < cutoff)
  const { due, parkedAt } = await readStates(db, [...new Set(old.map((row) => row.resource))])
  const newest = await readNewest(db)
  const deletable: number[] = []
  const emptied: number[] = []
  const waitedTooLong: number[] = []
  const parkedTooLong: number[] = []
  // A dry run left in place what earlier steps would have deleted.
  const kept = dryRun ? new Set<number>() : await readKept(db, old)
  for (const { id, previous, received_at: receivedAt, resource } of old) {
    const parked = parkedAt.get(resource)
    if (parked === undefined && !due.has(resource)) {
      // A kept event before it is reached through it.
      if (id === newest) emptied.push(id)
      else if (previous === null || !kept.has(previous)) {
        deletable.push(id)
        continue
      }
    } else if (parked === undefined) {
      if (receivedAt < cutoff - dueGraceMs) waitedTooLong.push(id)
    } else if (parked < limits.now - limits.parkedKeepMs) parkedTooLong.push(id)
    kept.add(id)
  }
  if (!dryRun) await deleteEvents(db, deletable)
  return {
    cursor: (isAll ? last : undefined) ?? rows.at(-1)?.id ?? cursor,
    looked: rows.length,
    deliveries: deletable.length + (await emptyBodies(db, emptied, dryRun)),
    dueBodies: await emptyBodies(db, waitedTooLong, dryRun),
    parkedBodies: await emptyBodies(db, parkedTooLong, dryRun),
    isDone: old.length < rows.length || (isAll && last === undefined),
  }
}

/** The events right before those of this step that are still stored. */
async function readKept(db: Db, rows: readonly { id: number; previous: number | null }[]): Promise<Set<number>> {
  const first = rows[0]?.id ?? 0
  const earlier = rows.flatMap(({ previous }) => (previous !== null && previous < first ? previous : []))
  if (earlier.length === 0) return new Set()
  const found = await db.selectFrom('events').select('id').where('id', 'in', earlier).execute()
  return new Set(found.map(({ id }) => id))
}

/** The newest event: deleted, its number would come back. It stays, without its body, until a newer one comes. */
async function readNewest(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  return row?.id
}

/** Deletes events, their marks, and their share of the total. */
async function deleteEvents(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await unmarkEvents(db, ids)
  await db.deleteFrom('events').where('id', 'in', ids).execute()
  await uncountEvents(db, ids)
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

/** Resources with due work, and when each one's newest parked work was parked. */
async function readStates(
  db: Db,
  numbers: readonly number[],
): Promise<{ due: ReadonlySet<number>; parkedAt: ReadonlyMap<number, number> }> {
  if (numbers.length === 0) return { due: new Set(), parkedAt: new Map() }
  const due = await db
    .selectFrom('resources')
    .select('number')
    .where('number', 'in', numbers)
    .where('due_at', 'is not', null)
    .execute()
  const parked = await db
    .selectFrom('work')
    .select(['resource', (eb) => eb.fn.max('parked_at').as('at')])
    .where('resource', 'in', numbers)
    .where('state', '=', 'parked')
    .groupBy('resource')
    .execute()
  return {
    due: new Set(due.map(({ number }) => number)),
    parkedAt: new Map(parked.map(({ resource, at }) => [resource, at ?? 0])),
  }
}
