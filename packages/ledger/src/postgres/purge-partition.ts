import { type Kysely, sql } from 'kysely'
import type { EventStep, PurgeLimits } from '../upkeep/purge.ts'
import type { Tables } from '../tables.ts'
import { uncountPartition } from '../upkeep/stored-events.ts'
import { alone, listPartitions, type Partition, readLastId } from './partitions.ts'

type Db = Kysely<Tables>

/** Rows read per statement. */
const rowsAtOnce = 20_000
/** A queued lock blocks every writer behind it. */
const lockTimeoutMs = 250

/**
 * Drops the next partition after `cursor` if all of its events are to be deleted, and counts them. If the drop would block others, the next purge tries again.
 * Resolves with the partition's last number if some of its events stay, and with neither if it is still written to.
 */
export async function purgePartition(
  db: Db,
  cursor: number,
  limits: PurgeLimits,
): Promise<{ step?: EventStep; last?: number }> {
  const partition = (await listPartitions(db)).find(({ to }) => to > cursor + 1)
  if (partition === undefined || partition.to > (await readLastId(db))) return {}
  const last = partition.to - 1
  if (partition.from <= cursor && cursor > 0) return { last }
  const deliveries = await countIfAllOld(db, partition, limits).catch(tooSlow)
  if (deliveries === undefined) return { last }
  const isDropped = await drop(db, partition, { cutoff: limits.now - limits.keepMs, count: deliveries })
  const count = isDropped ? deliveries : 0
  return { step: { cursor: last, looked: count, deliveries: count, dueBodies: 0, parkedBodies: 0, isDone: false } }
}

/** If the check takes too long, the row-by-row purge takes over. */
function tooSlow(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === '57014') return undefined
  throw error
}

/** The number of its events, if each is too old and none belongs to due or parked work. */
async function countIfAllOld(db: Db, partition: Partition, limits: PurgeLimits): Promise<number | undefined> {
  const cutoff = limits.now - limits.keepMs
  const within = sql`id >= ${partition.from} and id < ${partition.to}`
  const isMet = async (what: ReturnType<typeof sql<{ met: boolean }>>) => (await what.execute(db)).rows[0]?.met === true
  const newest = sql`(select received_at from events where ${within} order by id desc limit 1)`
  if (await isMet(sql<{ met: boolean }>`select coalesce(${newest} >= ${cutoff}, false) as met`)) return undefined
  let count = 0
  for (let at = partition.from - 1; ;) {
    const { rows } = await sql<{ count: string | number; last: number | null; newest: number; kept: boolean }>`
      with looked as (
        select id, previous, resource, received_at from events where id > ${at} and id < ${partition.to}
        order by id limit ${rowsAtOnce})
      select count(*) as count, max(id) as last, max(received_at) as newest,
        exists (select 1 from looked join resources on number = resource where due_at is not null)
        or exists (select 1 from looked join work using (resource) where state = 'parked')
        -- A kept event before it is reached through it.
        or exists (select 1 from looked join events as before on before.id = looked.previous
          where looked.previous < ${partition.from}) as kept
      from looked`.execute(db)
    const [looked] = rows
    if (looked?.last == null) return count
    if (looked.newest >= cutoff || looked.kept) return undefined
    count += Number(looked.count)
    at = looked.last
  }
}

/** Drops the partition; false if another process already did, or if others would have been blocked. */
async function drop(
  db: Db,
  { name, from, to }: Partition,
  { cutoff, count }: { cutoff: number; count: number },
): Promise<boolean> {
  await removeMarks(db, from, to)
  const isDropped = await alone(db, lockTimeoutMs, async (trx) => {
    if (!(await listPartitions(trx)).some((each) => each.name === name)) return false
    await sql`lock table only events in access exclusive mode`.execute(trx)
    await sql`lock table ${sql.id(name)} in access exclusive mode`.execute(trx)
    // A writer may have been about to store an event with one of its last numbers.
    const { rows } = await sql<{ at: number | null }>`select max(received_at) as at from (
      select received_at from ${sql.id(name)} order by id desc limit 1000) as newest`.execute(trx)
    if ((rows[0]?.at ?? 0) >= cutoff) return false
    // Drops rows and bodies as one file.
    await sql`drop table ${sql.id(name)}`.execute(trx)
    await uncountPartition(trx, { from, count })
    return true
  })
  return isDropped === true
}

/** Deletes the marks of its events. If interrupted, the remaining events count as deleted. */
async function removeMarks(db: Db, from: number, to: number): Promise<void> {
  for (let at: number | null = from - 1; at !== null;) {
    const { rows }: { rows: { last: number | null }[] } = await sql<{ last: number | null }>`with looked as (
        select id, resource, event_type, event_key from events
        where id > ${at} and id < ${to} and (kind is null or event_key is not null) order by id limit ${rowsAtOnce}
      ), gone as (
        delete from event_marks where (mark, resource) in (
          select marked.mark, marked.resource from looked, lateral (
            select mark, resource from event_marks where event_marks.resource = looked.resource
              and mark in ('type:' || looked.event_type, 'key:' || looked.event_key) and event_id = looked.id
            for update skip locked) as marked)
      ) select max(id) as last from looked`.execute(db)
    at = rows[0]?.last ?? null
  }
}
