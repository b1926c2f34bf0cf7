import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isPaused } from '../hot/pause.ts'
import { countPolls, type PollCounts } from '../hot/polls.ts'
import type { Tables } from '../tables.ts'
import type { ViewCore } from '../core.ts'
import { readNewestDelivery } from './newest-delivery.ts'
import { countStored } from '../upkeep/stored-events.ts'
import { readRefused } from './refused.ts'

/** A total of resources above 10,000 may be a minute old; counts of waiting work are capped at 100,000. */
export interface Counts extends PollCounts {
  events: number
  unhandled: number
  resources: number
  due: number
  parked: number
  /** Age of the oldest due work, in milliseconds; 0 if there is none. Work that waits for a pause or an absent system does not count. */
  oldestDueMs: number
  /** Pieces of work that wait for a pause or an absent system; while all work is paused, also the due resources. */
  waiting: number
  /** Age of the first event of the longest waiting work, in milliseconds; 0 if nothing waits. */
  oldestWaitingMs: number
  /** How long the oldest parked work has been parked, in milliseconds; 0 if there is none. */
  oldestParkedMs: number
}

type Db = Kysely<Tables>

/** Rows counted per statement: few enough not to delay other queries. */
const stepSize = 10_000
/** Cap of each count of waiting work. */
const maxWaiting = 100_000
/** Max age of a total of more than one step, in milliseconds. */
const maxAgeMs = 60_000

/** Totals for metrics and the console. Metrics read these and no groups of work: each group costs several reads, and there may be 200. */
export type CountViews = ReturnType<typeof createCountViews>

export function createCountViews({ db, now, assertDurable }: ViewCore) {
  // From the index only: the rows themselves are large.
  const resources = createTotal(db, 'resources', ['kind', 'number'])
  return {
    /** Constant cost for any size of ledger; delays deliveries by at most one small step. */
    async counts(): Promise<Counts> {
      assertDurable()
      const waiting = await readWaiting(db, await now())
      return { events: await countStored(db), resources: await resources(), ...waiting }
    },
    /** The newest webhook; `undefined` if the newest 200 events have none. */
    newestDelivery: () => readNewestDelivery(db),
    /** Recorded deliveries refused within the last `withinMs`, by reason: max a hundred a second, about the newest 10,000 in all. */
    refused: async (withinMs: number) => readRefused(db, (await now()) - withinMs),
  }
}

type Stalled = Pick<Counts, 'waiting' | 'oldestWaitingMs' | 'oldestDueMs'>
type Paused = Record<'paused' | 'oldestDueAgoMs' | 'oldestEventAgoMs', number>
type Open = Pick<Counts, 'unhandled' | 'due' | 'parked' | 'waiting' | 'oldestWaitingMs' | 'oldestParkedMs'>

async function readWaiting(db: Db, now: number): Promise<Omit<Counts, 'events' | 'resources'>> {
  const { rows } = await sql<Open>`select
    (select count(*) from (select 1 from events where kind is null limit ${maxWaiting}) as waiting) as unhandled,
    (select count(*) from (select 1 from resources where due_at is not null limit ${maxWaiting}) as waiting) as due,
    (select count(*) from (select 1 from work where state = 'parked' limit ${maxWaiting}) as waiting) as parked,
    (select count(*) from (select 1 from work where waits_since is not null limit ${maxWaiting}) as waiting)
      as waiting,
    (select coalesce(${now} - min(waits_since), 0) from work where waits_since is not null) as "oldestWaitingMs",
    (select coalesce(${now} - min(parked_at), 0) from work where state = 'parked') as "oldestParkedMs"`.execute(db)
  const open = rows[0] ?? { unhandled: 0, due: 0, parked: 0, waiting: 0, oldestWaitingMs: 0, oldestParkedMs: 0 }
  const stalled = (await isPaused(db, { kind: 'all', name: '' }))
    ? await readAllPaused(db, open, now)
    : { ...open, oldestDueMs: await readOldestDue(db, now) }
  return { ...open, ...stalled, ...(await countPolls(db, { now, limit: maxWaiting })) }
}

/** Resources whose first event is looked up while all work is paused: those due the longest. */
const maxAged = 1_000

/** While all work is paused, due resources count as waiting. They wait since the first event that no run has settled: a retry is due later than that. */
async function readAllPaused(db: Db, open: Open, now: number): Promise<Stalled> {
  const { rows } = await sql<Paused>`select
    (select count(*) from (select 1 from resources where due_at <= ${now} limit ${maxWaiting}) as waiting) as paused,
    (select coalesce(${now} - min(due_at), 0) from resources where due_at <= ${now}) as "oldestDueAgoMs",
    (with recursive aged as (
        select number, newest_event_id, coalesce(snapshot_event_id, 0) as after
        from resources where due_at <= ${now} order by due_at limit ${maxAged}),
      unsettled (previous, received_at, after) as (
        select previous, received_at, after from aged join events on events.id = newest_event_id and events.id > after
        union all
        select events.previous, events.received_at, after from unsettled
        join events on events.id = unsettled.previous and events.id > after)
      select coalesce(${now} - min(received_at), 0) from (
        select received_at from unsettled
        union all
        select received_at from aged join work on work.resource = number and state = 'due'
        join events on events.id = first_event_id) as waiting) as "oldestEventAgoMs"`.execute(db)
  const { paused, oldestDueAgoMs, oldestEventAgoMs } = rows[0] ?? { paused: 0, oldestDueAgoMs: 0, oldestEventAgoMs: 0 }
  const oldestWaitingMs = Math.max(open.oldestWaitingMs, oldestDueAgoMs, oldestEventAgoMs)
  return { waiting: open.waiting + paused, oldestWaitingMs, oldestDueMs: 0 }
}

/** Waiting work comes due repeatedly to check whether it still has to wait; with workers running, a check takes less than this. Milliseconds. */
const lookMs = 60_000

/** Age of the oldest due work, not counting waiting work that only checks whether it still has to wait. Milliseconds. */
async function readOldestDue(db: Db, now: number): Promise<number> {
  const due = db.selectFrom('resources').select('due_at').where('due_at', '<=', now).orderBy('due_at').limit(1)
  const oldest = await due.executeTakeFirst()
  const looks = (oldest?.due_at ?? 0) > now - lookMs
  const row = !looks
    ? oldest
    : await due
        .where(
          sql<boolean>`not exists (select 1 from work where resource = resources.number
            and waits_since is not null and tried_event_id >= resources.newest_event_id)`,
        )
        .executeTakeFirst()
  return now - (row?.due_at ?? now)
}

/** Counts a table by an index with these columns: a small one at once, a large one in steps. Between steps, the event loop takes a turn. The total is cached for a while. */
function createTotal(db: Db, table: string, columns: readonly string[]): () => Promise<number> {
  let known: { total: number; at: number } | undefined
  let counting: Promise<number> | undefined

  const key = sql.join(columns.map((column) => sql.ref(column)))
  type Key = readonly unknown[] | undefined
  const rest = (after: Key) => (after === undefined ? sql`` : sql`where (${key}) > (${sql.join(after)})`)

  /** The key of the last row of a full step; `undefined` if fewer rows are left. */
  async function readStep(after: Key): Promise<Key> {
    const query = sql<Record<string, unknown>>`select ${key} from ${sql.table(table)} ${rest(after)}
      order by ${key} limit 1 offset ${stepSize - 1}`
    const [last] = (await query.execute(db)).rows
    return last && columns.map((column) => last[column])
  }

  async function countRest(after: Key): Promise<number> {
    const query = sql<{ count: number }>`select count(*) as count
      from (select 1 from ${sql.table(table)} ${rest(after)} limit ${stepSize}) as step`
    return Number((await query.execute(db)).rows[0]?.count)
  }

  async function countAll(from: Key): Promise<number> {
    let total = stepSize
    let after = from
    for (let next = await readStep(after); next !== undefined; next = await readStep(after)) {
      total += stepSize
      after = next
      // SQLite calls never yield: without this, no other task would get a turn.
      await nextTurn()
    }
    total += await countRest(after)
    known = { total, at: performance.now() }
    return total
  }

  return async () => {
    const first = await readStep(undefined)
    if (first === undefined) return countRest(undefined)
    if (known === undefined || performance.now() - known.at > maxAgeMs)
      counting ??= countAll(first).finally(() => (counting = undefined))
    if (known === undefined) return counting as Promise<number> // begun above
    // The caller takes the cached total; the next one gets the new total or error.
    counting?.catch(() => undefined)
    return known.total
  }
}
