import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Counts } from './ledger.ts'
import { countPolls } from './polls.ts'
import type { Tables } from './tables.ts'

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

async function readWaiting(db: Db, now: number): Promise<Omit<Counts, 'events' | 'resources'>> {
  const { rows } = await sql<Omit<Counts, 'events' | 'resources' | 'toPoll' | 'unreadable'>>`select
    (select count(*) from (select 1 from events where kind is null limit ${maxWaiting}) as waiting) as unhandled,
    (select count(*) from (select 1 from resources where due_at is not null limit ${maxWaiting}) as waiting) as due,
    (select count(*) from (select 1 from progress where state = 'parked' limit ${maxWaiting}) as waiting) as parked,
    (select coalesce(${now} - min(due_at), 0) from resources where due_at <= ${now}) as "oldestDueMs",
    (select coalesce(${now} - min(parked_at), 0) from progress where state = 'parked') as "oldestParkedMs"`.execute(db)
  const waiting = rows[0] ?? { unhandled: 0, due: 0, parked: 0, oldestDueMs: 0, oldestParkedMs: 0 }
  return { ...waiting, ...(await countPolls(db, { now, limit: maxWaiting })) }
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
