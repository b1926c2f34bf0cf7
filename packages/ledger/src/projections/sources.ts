import { type Kysely, sql, type Transaction } from 'kysely'
import type { EventSource, ProjectionName, Tables } from '../tables.ts'
import { countDeliveries, countRefusals, countRuns } from './count-tallies.ts'
import { projectLookups } from './project-lookups.ts'
import { projectOutcomes } from './project-outcomes.ts'
import type { Projection, Step } from './projection.ts'
import { readRecorded } from './recorded.ts'

type Db = Kysely<Tables>

/** A row not read yet, and the id of its resource where a projection writes about it. */
export interface Unread {
  id: number
  at: number
  resourceId?: string | null
}

/** A table that only grows, and its projections. */
export interface Source {
  names: readonly ProjectionName[]
  /** The next rows. */
  readUnread(db: Db, after: number, limit: number): Promise<Unread[]>
  /** Projects the rows up to `to`: for each of these names those after its cursor. */
  project(
    trx: Transaction<Tables>,
    cursors: Cursors,
    to: number,
    deps: Omit<Step<never>, 'trx' | 'rows'>,
  ): Promise<void>
}

/** The last row read, by projection. */
export type Cursors = ReadonlyMap<ProjectionName, number>

function sourceOf<Row extends { id: number }>({
  readUnread,
  read,
  projections,
}: Pick<Source, 'readUnread'> & {
  read: (step: Omit<Step<never>, 'rows'>, after: number, to: number) => Promise<readonly Row[]>
  projections: Partial<Record<ProjectionName, Projection<Row>>>
}): Source {
  return {
    readUnread,
    // The keys of the record above.
    names: Object.keys(projections) as ProjectionName[],
    async project(trx, cursors, to, deps) {
      const rows = await read({ ...deps, trx }, Math.min(...cursors.values()), to)
      for (const [name, after] of cursors)
        await projections[name]?.({ ...deps, trx, rows: rows.filter(({ id }) => id > after) })
    },
  }
}

const journal = sourceOf({
  async readUnread(db, after, limit) {
    const rows = await db
      .selectFrom('journal')
      .leftJoin('resources', 'number', 'resource')
      .select(['journal.id', 'at', 'resources.id as resourceId'])
      .where('journal.id', '>', after)
      .orderBy('journal.id')
      .limit(limit)
      .execute()
    return rows
  },
  read: readRecorded,
  projections: { lookups: projectLookups, outcomes: projectOutcomes, runs: countRuns },
})

const events = sourceOf<{ id: number; at: number; source: EventSource }>({
  readUnread: (db, after, limit) => readUnread(db, sql`select id, received_at as at from events`, after, limit),
  read: ({ trx }, after, to) =>
    trx
      .selectFrom('events')
      .select(['id', 'received_at as at', 'source'])
      .where('id', '>', after)
      .where('id', '<=', to)
      .execute(),
  projections: { deliveries: countDeliveries },
})

const rejections = sourceOf<{ id: number; at: number }>({
  readUnread: (db, after, limit) => readUnread(db, sql`select id, rejected_at as at from rejections`, after, limit),
  read: ({ trx }, after, to) =>
    trx
      .selectFrom('rejections')
      .select(['id', 'rejected_at as at'])
      .where('id', '>', after)
      .where('id', '<=', to)
      .execute(),
  projections: { refusals: countRefusals },
})

async function readUnread(db: Db, rows: ReturnType<typeof sql>, after: number, limit: number): Promise<Unread[]> {
  return (await sql<Unread>`${rows} where id > ${after} order by id limit ${limit}`.execute(db)).rows
}

export const sources: readonly Source[] = [journal, events, rejections]
