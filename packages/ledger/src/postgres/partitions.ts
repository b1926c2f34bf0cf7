import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import { lockClass } from './locks.ts'

/** Partitions are not in the ledger's types: their statements are raw SQL. */
type Db = QueryExecutorProvider

/** A partition of `events`: numbers from `from` up to `to`, exclusive. */
export interface Partition {
  name: string
  from: number
  to: number
}

/** About a day's worth of events, within these bounds. */
const width = { min: 100_000, max: 50_000_000 }
/** Empty partitions kept ready. */
const ahead = 2
const dayMs = 86_400_000
/** Shortest span to estimate a pace from. */
const minSpanMs = 3_600_000

const lockNotAvailable = '55P03'
/** Lock slot for creating and dropping partitions; the slots of resources are below it. */
const partitionsSlot = 1_000

/** The partitions of `events`, in order. */
export async function listPartitions(db: Db): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    select relname as name, pg_get_expr(relpartbound, pg_class.oid) as bound from pg_inherits
    join pg_class on pg_class.oid = inhrelid where inhparent = 'events'::regclass`.execute(db)
  const partitions = rows.map(({ name, bound }) => {
    const [, from, to] = /FROM \((.+)\) TO \('(\d+)'\)/.exec(bound) ?? []
    return { name, from: from === 'MINVALUE' ? 0 : Number(from?.replaceAll("'", '')), to: Number(to) }
  })
  return partitions.toSorted((a, b) => a.from - b.from)
}

/** The last number assigned to an event. */
export async function readLastId(db: Db): Promise<number> {
  const { rows } = await sql<{ last: string | number }>`
    select case when is_called then last_value else last_value - 1 end as last from events_id_seq`.execute(db)
  return Number(rows[0]?.last)
}

/** Changes partitions under an exclusive lock; gives up and resolves with nothing if that would block others. */
export async function alone<T>(
  db: Kysely<Tables>,
  lockTimeoutMs: number,
  work: (trx: Transaction<Tables>) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (trx) => {
        await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(trx)
        await sql`select pg_advisory_xact_lock(${lockClass}::int, ${partitionsSlot}::int)`.execute(trx)
        return work(trx)
      })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === lockNotAvailable) return undefined
    throw error
  }
}

/** Creates the partitions that the next events will need, without blocking writers. */
export async function keepAhead(db: Kysely<Tables>): Promise<void> {
  // Most calls find enough partitions, and take no lock.
  if (!(await isShort(db))) return
  await alone(db, 2_000, async (trx) => {
    if (await isShort(trx)) await addAhead(trx)
  })
}

async function isShort(db: Db): Promise<boolean> {
  const next = (await readLastId(db)) + 1
  return (await listPartitions(db)).filter(({ from }) => from > next).length < ahead
}

/** As `keepAhead`, inside a transaction. */
export async function addAhead(trx: Db): Promise<void> {
  const next = (await readLastId(trx)) + 1
  const partitions = await listPartitions(trx)
  const size = await readWidth(trx, partitions, next)
  let end = partitions.at(-1)?.to ?? next
  let missing = ahead - partitions.filter(({ from }) => from > next).length
  // Numbers already beyond the last partition: one partition covers them all, and the next ones.
  if (end <= next) missing += 1
  for (; missing > 0; missing -= 1) {
    const to = Math.max(end, next) + size
    await addPartition(trx, end, to)
    end = to
  }
}

/** Creates partitions for copied events, whose numbers are known. */
export async function makeRoomFor(db: Kysely<Tables>, firstId: number, lastId: number): Promise<void> {
  // As if the events spanned a month.
  const size = clamp((lastId - firstId) / 30)
  await alone(db, 10_000, async (trx) => {
    let end = (await listPartitions(trx)).at(-1)?.to ?? 1
    while (end <= lastId) {
      const from = end
      end = Math.max(end, firstId) + size
      await addPartition(trx, from, end)
    }
  })
}

/** `attach partition` lets reads and writes continue, unlike `create table … partition of`. */
async function addPartition(trx: Db, from: number, to: number): Promise<void> {
  const name = sql.id(`events_from_${from}`)
  await sql`create table ${name} (like events including defaults)`.execute(trx)
  await sql`alter table events attach partition ${name} for values from (${sql.lit(from)}) to (${sql.lit(to)})`.execute(
    trx,
  )
}

/** Event numbers per day, by the pace since the start of the partition before the newest. */
async function readWidth(db: Db, partitions: readonly Partition[], next: number): Promise<number> {
  const at = partitions.findLastIndex(({ from }) => from <= next)
  const from = (partitions[at - 1] ?? partitions[at])?.from ?? 0
  const { rows } = await sql<{ count: number | string; ms: number | string }>`
    select last.id - first.id as count, extract(epoch from clock_timestamp()) * 1000 - first.received_at as ms
    from (select id, received_at from events where id >= ${from} order by id limit 1) as first,
      (select id from events where id >= ${from} order by id desc limit 1) as last`.execute(db)
  const [pace] = rows
  return pace === undefined ? width.min : clamp((Number(pace.count) / Math.max(Number(pace.ms), minSpanMs)) * dayMs)
}

function clamp(size: number): number {
  return Math.round(Math.min(Math.max(size, width.min), width.max))
}
