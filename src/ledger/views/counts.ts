import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { isHoldActive } from '../hot/holds.ts'
import { countPolls } from '../hot/polls.ts'
import type { Tables } from '../tables.ts'

/** Above some 10,000 events or resources their numbers are a minute old; of what waits, 100,000 are counted at the most. */
export interface Counts {
  events: number
  unhandled: number
  resources: number
  due: number
  parked: number
  /** For how long the oldest due work could have been done; 0 where there is none. What waits for a hold or an absent system could not. */
  oldestDueMs: number
  /** Pieces of work that wait for a hold or an absent system; while all work is paused, also the resources that are due. */
  waiting: number
  /** For how long the first event is stored of that which waits longest; 0 where nothing waits. */
  oldestWaitingMs: number
  /** For how long the oldest parked work has been parked; 0 where there is none. */
  oldestParkedMs: number
  /** Resources whose poll is due, or was asked for and not tried yet. */
  toPoll: number
  /** Resources whose poll was asked for and failed; they are tried again. */
  unreadable: number
}

type Db = Kysely<Tables>

/** Totals for metrics and the console. */
export interface LedgerCounts {
  /** Costs the same however much the ledger holds, and keeps no delivery waiting for longer than one small step. */
  read(now: number): Promise<Counts>
}

/** Rows that one statement counts: few enough that nobody waits for it. */
const stepSize = 10_000
/** Of what is waiting, this many are counted at the most. */
const maxWaiting = 100_000
/** Totals of more than a step are as old as this at the most, in milliseconds. */
const maxAgeMs = 60_000

export function createCounts(db: Db): LedgerCounts {
  // By the indexes alone: the rows themselves are large.
  const events = createTotal(db, 'events', ['resource_id', 'event_type', 'id'])
  const resources = createTotal(db, 'resources', ['id'])
  return {
    async read(now) {
      const waiting = await readWaiting(db, now)
      return { events: await events(), resources: await resources(), ...waiting }
    },
  }
}

type Stalled = Pick<Counts, 'waiting' | 'oldestWaitingMs' | 'oldestDueMs'>
type Open = Pick<Counts, 'unhandled' | 'due' | 'parked' | 'waiting' | 'oldestWaitingMs' | 'oldestParkedMs'>

async function readWaiting(db: Db, now: number): Promise<Omit<Counts, 'events' | 'resources'>> {
  const { rows } = await sql<Open>`select
    (select count(*) from (select 1 from events where kind is null limit ${maxWaiting}) as waiting) as unhandled,
    (select count(*) from (select 1 from resources where due_at is not null limit ${maxWaiting}) as waiting) as due,
    (select count(*) from (select 1 from progress where state = 'parked' limit ${maxWaiting}) as waiting) as parked,
    (select count(*) from (select 1 from progress where waits_since is not null limit ${maxWaiting}) as waiting)
      as waiting,
    (select coalesce(${now} - min(waits_since), 0) from progress where waits_since is not null) as "oldestWaitingMs",
    (select coalesce(${now} - min(parked_at), 0) from progress where state = 'parked') as "oldestParkedMs"`.execute(db)
  const open = rows[0] ?? { unhandled: 0, due: 0, parked: 0, waiting: 0, oldestWaitingMs: 0, oldestParkedMs: 0 }
  const stalled = (await isHoldActive(db, { kind: 'all', name: '' }))
    ? await readAllHeld(db, open, now)
    : { ...open, oldestDueMs: await readOldestDue(db, now) }
  return { ...open, ...stalled, ...(await countPolls(db, { now, limit: maxWaiting })) }
}

/** While all work is paused, what is due waits, too, but for what was let through. */
async function readAllHeld(db: Db, open: Open, now: number): Promise<Stalled> {
  const { rows } = await sql<{ held: number; oldestHeldMs: number; oldestDueMs: number }>`select
    (select count(*) from (select 1 from resources where due_at <= ${now} limit ${maxWaiting}) as waiting) as held,
    (select coalesce(${now} - min(due_at), 0) from resources where due_at <= ${now}) as "oldestHeldMs",
    (select coalesce(${now} - min(due_at), 0) from let_through
      join resources on resources.id = resource_id where due_at <= ${now}) as "oldestDueMs"`.execute(db)
  const { held, oldestHeldMs, oldestDueMs } = rows[0] ?? { held: 0, oldestHeldMs: 0, oldestDueMs: 0 }
  const oldestWaitingMs = Math.max(open.oldestWaitingMs, oldestHeldMs)
  return { waiting: open.waiting + held, oldestWaitingMs, oldestDueMs }
}

/** Work that waits comes due again and again, to see whether it still has to; that takes no longer than this while somebody works. Milliseconds. */
const lookMs = 60_000

/** For how long the oldest work has been due that does not only look whether it still has to wait. */
async function readOldestDue(db: Db, now: number): Promise<number> {
  const due = db.selectFrom('resources').select('due_at').where('due_at', '<=', now).orderBy('due_at').limit(1)
  const oldest = await due.executeTakeFirst()
  const looks = (oldest?.due_at ?? 0) > now - lookMs
  const row = !looks
    ? oldest
    : await due
        .where(
          sql<boolean>`not exists (select 1 from progress where resource_id = resources.id
            and waits_since is not null and tried_event_id >= resources.newest_event_id)`,
        )
        .executeTakeFirst()
  return now - (row?.due_at ?? now)
}

/** Counts a table by an index with these columns: a small one at once, a large one step by step, with others in between, and not again for a while. */
function createTotal(db: Db, table: string, columns: readonly string[]): () => Promise<number> {
  let known: { total: number; at: number } | undefined
  let counting: Promise<number> | undefined

  const key = sql.join(columns.map((column) => sql.ref(column)))
  type Key = readonly unknown[] | undefined
  const rest = (after: Key) => (after === undefined ? sql`` : sql`where (${key}) > (${sql.join(after)})`)

  /** The key of the last row of a full step; `undefined` where fewer rows are left. */
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
      // SQLite answers at once: without it, nobody else would get a turn.
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
    // Whoever asks next hears of it.
    counting?.catch(() => undefined)
    return known.total
  }
}
