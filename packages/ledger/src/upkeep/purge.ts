import { type Kysely, sql } from 'kysely'
import { type EventRange, isWithin, unmarkEvents } from '../hot/known-events.ts'
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
 * Ids grow with time, so the first younger one ends the purge.
 */
export async function purgeEvents(
  db: Db,
  cursor: number,
  { dryRun, ...limits }: PurgeLimits & { dryRun: boolean },
): Promise<EventStep> {
  const cutoff = limits.now - limits.keepMs
  const rows = await readNext(db, cursor)
  const old = rows.filter((row) => row.received_at < cutoff)
  const newest = await readNewest(db)
  const first = old[0]?.id ?? 0
  const last = old.at(-1)?.id ?? cursor
  const kept = new Set<number>()
  const emptied: number[] = []
  const waitedTooLong: number[] = []
  const parkedTooLong: number[] = []
  for (const {
    id,
    previous,
    reached_by: reachedBy,
    received_at: receivedAt,
    due_at: dueAt,
    parked_at: parkedAt,
  } of old) {
    if (parkedAt === null && dueAt === null) {
      // A dry run left in place what earlier steps would have deleted.
      const isReached = (previous ?? 0) < first ? reachedBy !== null && !dryRun : kept.has(previous ?? 0)
      // A kept event before it is reached through it.
      if (id === newest) emptied.push(id)
      else if (!isReached) continue
    } else if (parkedAt === null) {
      if (receivedAt < cutoff - dueGraceMs) waitedTooLong.push(id)
    } else if (parkedAt < limits.now - limits.parkedKeepMs) parkedTooLong.push(id)
    kept.add(id)
  }
  if (!dryRun) await deleteEvents(db, { after: cursor, last, except: [...kept] })
  return {
    cursor: rows.at(-1)?.id ?? cursor,
    looked: rows.length,
    deliveries: old.length - kept.size + (await emptyBodies(db, emptied, dryRun)),
    dueBodies: await emptyBodies(db, waitedTooLong, dryRun),
    parkedBodies: await emptyBodies(db, parkedTooLong, dryRun),
    isDone: old.length < purgedAtOnce,
  }
}

/** The next events, each with what decides whether it stays. */
function readNext(db: Db, cursor: number) {
  return db
    .selectFrom('events')
    .leftJoin('resources', 'number', 'events.resource')
    .leftJoin('events as before', 'before.id', 'events.previous')
    .select(['events.id', 'events.previous', 'events.received_at', 'due_at', 'before.id as reached_by'])
    .select((eb) =>
      eb
        .selectFrom('work')
        .select((work) => work.fn.max('parked_at').as('at'))
        .whereRef('work.resource', '=', 'events.resource')
        .where('state', '=', 'parked')
        .as('parked_at'),
    )
    .where('events.id', '>', cursor)
    .orderBy('events.id')
    .limit(purgedAtOnce)
    .execute()
}

/** The newest event: deleted, its number would come back. It stays, without its body, until a newer one comes. */
async function readNewest(db: Db): Promise<number | undefined> {
  const row = await db
    .selectFrom('events')
    .select((eb) => eb.fn.max('id').as('id'))
    .executeTakeFirst()
  return row?.id
}

/** Deletes a range of events, their marks, and their share of the total. */
async function deleteEvents(db: Db, range: EventRange): Promise<void> {
  if (range.last === range.after) return
  await unmarkEvents(db, range)
  const deleted = await db.deleteFrom('events').where(isWithin(range)).executeTakeFirst()
  await uncountEvents(db, range.last, Number(deleted.numDeletedRows))
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
