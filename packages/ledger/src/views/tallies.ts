import { type Kysely, sql } from 'kysely'
import { isWaitingError } from '../hot/waiting-errors.ts'
import type { Tables } from '../tables.ts'
import type { Tally, TallyName, TallySource } from './tally-of-time.ts'
import type { ViewCore } from '../core.ts'

/** Rows not counted yet, by the minute, and how far that is. */
export interface Untallied {
  tallies: Tally[]
  from: Record<TallySource, number>
  to: Record<TallySource, number>
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
  const from = { events: lastOf('events'), attempts: lastOf('attempts'), rejections: lastOf('rejections') }
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
  const attempts = settled(await readAttempts(db, from.attempts, limit), now)
  for (const { at, result, heardAt, code } of attempts) {
    if (result === 'discarded' || isWaitingError(code)) continue
    add(at, result === 'parked' ? 'given_up' : result)
    if (result !== 'succeeded' || heardAt === null) continue
    const tookMs = Math.max(0, at - heardAt)
    add(at, 'synced')
    add(at, 'sync_ms', tookMs)
    add(at, 'slowest_ms', tookMs, true)
  }
  const read = { events, attempts, rejections }
  const lastRead = (source: TallySource) => read[source].at(-1)?.id ?? from[source]
  return {
    tallies: [...values.values()],
    from,
    to: { events: lastRead('events'), attempts: lastRead('attempts'), rejections: lastRead('rejections') },
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

async function readAttempts(db: Db, from: number, limit: number) {
  const { rows } = await sql<{
    id: number
    at: number
    result: Tables['attempts']['result']
    code: string | null
    heardAt: number | null
  }>`
    select runs.id, finished_at as at, result, error_code as code, events.received_at as "heardAt"
    from (select id, finished_at, result, error_code, first_event_id from attempts
      where id > ${from} order by id limit ${limit}) as runs
    left join events on events.id = runs.first_event_id order by runs.id`.execute(db)
  return rows
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
