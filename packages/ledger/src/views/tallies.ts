import { type Kysely, sql } from 'kysely'
import { type JournalRun, readEntry } from '../hot/journal-rows.ts'
import { isWaitingError } from '../hot/waiting-errors.ts'
import type { Tables } from '../tables.ts'
import type { Tally, TallyName, TallySource } from './tally-of-time.ts'
import type { ViewCore } from '../core.ts'

/** Counts of new rows by minute, and the last row counted. */
export interface Untallied {
  tallies: Tally[]
  from: Record<TallySource, number>
  to: Record<TallySource, number>
  /** Events among the new rows. */
  events: number
  /** Whether further rows are left. */
  more: boolean
}

type Db = Kysely<Tables>

const minuteMs = 60_000
/** Rows younger than this are left: a transaction with a lower number may still be open. */
const settleMs = 30_000

/** Counts the next `limit` rows of each source that are not counted yet, without a lock: `noteTallies` writes them. */
async function readUntallied(db: Db, now: number, limit: number): Promise<Untallied> {
  const known = await db.selectFrom('tallied').selectAll().execute()
  const lastOf = (source: TallySource) => known.find((row) => row.source === source)?.last_id ?? 0
  const from = { events: lastOf('events'), journal: lastOf('journal'), rejections: lastOf('rejections') }
  const values = new Map<string, Tally>()
  const add = (at: number, name: TallyName, value = 1, isPeak = false) => {
    const minute = Math.floor(at / minuteMs) * minuteMs
    const key = `${minute} ${name}`
    const before = values.get(key)?.value ?? 0
    values.set(key, { at: minute, name, value: isPeak ? Math.max(before, value) : before + value })
  }

  const events = settled(await readAfter(db, 'events', from.events, limit), now)
  for (const { at, source } of events) if (source === 'webhook') add(at, 'delivered')
  const rejections = settled(await readAfter(db, 'rejections', from.rejections, limit), now)
  for (const { at } of rejections) add(at, 'refused')
  const journal = settled(await readJournal(db, from.journal, limit), now)
  const runs = journal.flatMap(({ entry }) => entry.runs)
  const heardAt = await readHeardAt(db, runs)
  for (const { finishedAt: at, result, firstEventId, error } of runs) {
    if (result === 'discarded' || isWaitingError(error?.code)) continue
    add(at, result === 'parked' ? 'given_up' : result)
    const heard = heardAt.get(firstEventId)
    if (result !== 'succeeded' || heard === undefined) continue
    const tookMs = Math.max(0, at - heard)
    add(at, 'synced')
    add(at, 'sync_ms', tookMs)
    add(at, 'slowest_ms', tookMs, true)
  }
  const read = { events, journal, rejections }
  const lastRead = (source: TallySource) => read[source].at(-1)?.id ?? from[source]
  return {
    tallies: [...values.values()],
    from,
    events: events.length,
    to: { events: lastRead('events'), journal: lastRead('journal'), rejections: lastRead('rejections') },
    more: Object.values(read).some((rows) => rows.length === limit),
  }
}

/** The rows before the first one that is too young. */
function settled<Row extends { at: number }>(rows: readonly Row[], now: number): readonly Row[] {
  const end = rows.findIndex(({ at }) => at > now - settleMs)
  return end === -1 ? rows : rows.slice(0, end)
}

const columns = {
  events: sql`id, received_at as at, source`,
  // A refused delivery is always a webhook.
  rejections: sql`id, rejected_at as at, 'webhook' as source`,
}

async function readAfter(db: Db, table: keyof typeof columns, from: number, limit: number) {
  const { rows } = await sql<{ id: number; at: number; source: string }>`
    select ${columns[table]} from ${sql.table(table)} where id > ${from} order by id limit ${limit}`.execute(db)
  return rows
}

async function readJournal(db: Db, from: number, limit: number) {
  const rows = await db
    .selectFrom('journal')
    .select(['id', 'at', 'entry'])
    .where('id', '>', from)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ entry, ...row }) => ({ ...row, entry: readEntry(entry) }))
}

/** When the first events of these runs were stored, by event. */
async function readHeardAt(db: Db, runs: readonly JournalRun[]): Promise<ReadonlyMap<number, number>> {
  const found = new Map<number, number>()
  const ids = [...new Set(runs.map(({ firstEventId }) => firstEventId))]
  for (let at = 0; at < ids.length; at += 500) {
    const rows = await db
      .selectFrom('events')
      .select(['id', 'received_at'])
      .where('id', 'in', ids.slice(at, at + 500))
      .execute()
    for (const { id, received_at: receivedAt } of rows) found.set(id, receivedAt)
  }
  return found
}

/** Reads of counts by minute and hour. */
export type TallyViews = ReturnType<typeof createTallyViews>

export function createTallyViews({ db, now }: ViewCore) {
  return {
    /** Counts the next rows that the history lacks; `noteTallies` writes them. */
    untallied: async (limit: number) => readUntallied(db, await now(), limit),
    /** The history since `withinMs` ago, oldest first: by minute for a day, by hour for a week. */
    async tallies(span: 'minute' | 'hour', withinMs: number): Promise<Tally[]> {
      return db
        .selectFrom('tallies')
        .select(['at', 'name', 'value'])
        .where('span', '=', span)
        .where('at', '>=', (await now()) - withinMs)
        .orderBy('at')
        .execute()
    },
  }
}
