import { type Kysely, sql, type Transaction } from 'kysely'
import type { JournalRun } from '../hot/journal-rows.ts'
import { isWaitingError } from '../hot/waiting-errors.ts'
import type { EventSource, Tables } from '../tables.ts'
import type { Tally, TallyName } from '../views/tally-of-time.ts'
import type { Step } from './projection.ts'
import type { Recorded } from './recorded.ts'

const [minuteMs, hourMs] = [60_000, 3_600_000]
/** Minutes serve a day, hours a week; a margin covers the current ones. */
const keptMs = { minute: 25 * hourMs, hour: 8 * 24 * hourMs } as const

const peaks = new Set<TallyName>(['slowest_ms', 'due', 'waiting', 'parked'])

/** A row with its time. */
interface Timed {
  at: number
}

export async function countDeliveries({
  trx,
  now,
  rows,
}: Pick<Step<Timed & { source: EventSource }>, 'trx' | 'now' | 'rows'>) {
  // Their rows were locked with the cursor.
  await trx
    .updateTable('projections')
    .set((eb) => ({ stored: eb('stored', '+', rows.length) }))
    .where('name', '=', 'deliveries')
    .execute()
  const webhooks = rows.filter(({ source }) => source === 'webhook')
  await addTallies(
    trx,
    webhooks.map(({ at }) => ({ at, name: 'delivered', value: 1 })),
    now,
  )
}

export async function countRefusals({ trx, now, rows }: Pick<Step<Timed>, 'trx' | 'now' | 'rows'>) {
  await addTallies(
    trx,
    rows.map(({ at }) => ({ at, name: 'refused', value: 1 })),
    now,
  )
}

export async function countRuns({ trx, now, rows }: Pick<Step<Recorded>, 'trx' | 'now' | 'rows'>) {
  const runs = rows.flatMap(({ entry }) => entry.runs)
  const heardAt = await readHeardAt(trx, runs)
  const tallies = runs.flatMap(({ finishedAt: at, result, firstEventId, error }): Tally[] => {
    if (result === 'discarded' || isWaitingError(error?.code)) return []
    const heard = heardAt.get(firstEventId)
    const counted: Tally = { at, name: result === 'parked' ? 'given_up' : result, value: 1 }
    if (result !== 'succeeded' || heard === undefined) return [counted]
    const tookMs = Math.max(0, at - heard)
    return [
      counted,
      { at, name: 'synced', value: 1 },
      { at, name: 'sync_ms', value: tookMs },
      { at, name: 'slowest_ms', value: tookMs },
    ]
  })
  await addTallies(trx, tallies, now)
}

/** When the first events of these runs were stored, by event. */
async function readHeardAt(db: Kysely<Tables>, runs: readonly JournalRun[]): Promise<ReadonlyMap<number, number>> {
  if (runs.length === 0) return new Map()
  const ids = [...new Set(runs.map(({ firstEventId }) => firstEventId))]
  const rows = await db.selectFrom('events').select(['id', 'received_at']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, received_at: receivedAt }) => [id, receivedAt]))
}

const backlogNames = ['due', 'waiting', 'parked'] as const
/** Unsynced work at one moment. */
export type Backlog = Record<(typeof backlogNames)[number], number>

export async function noteBacklog(trx: Transaction<Tables>, backlog: Backlog, now: number): Promise<void> {
  await addTallies(
    trx,
    backlogNames.map((name) => ({ at: now, name, value: backlog[name] })),
    now,
  )
}

/** Adds counts to their minutes and hours, and deletes expired ones. */
async function addTallies(trx: Transaction<Tables>, counted: readonly Tally[], now: number): Promise<void> {
  for (const [span, ms] of [
    ['minute', minuteMs],
    ['hour', hourMs],
  ] as const) {
    const oldest = now - keptMs[span]
    for (const { at, name, value } of summed(counted, ms)) {
      if (at < oldest) continue
      const next = peaks.has(name)
        ? sql<number>`case when excluded.value > tallies.value then excluded.value else tallies.value end`
        : sql<number>`tallies.value + excluded.value`
      await trx
        .insertInto('tallies')
        .values({ span, at, name, value })
        .onConflict((conflict) => conflict.columns(['span', 'at', 'name']).doUpdateSet({ value: next }))
        .execute()
    }
    if (counted.length > 0) await trx.deleteFrom('tallies').where('span', '=', span).where('at', '<', oldest).execute()
  }
}

/** One tally for each name and span of time. */
function summed(counted: readonly Tally[], spanMs: number): Iterable<Tally> {
  const sums = new Map<string, Tally>()
  for (const { at, name, value } of counted) {
    const start = Math.floor(at / spanMs) * spanMs
    const key = `${start} ${name}`
    const before = sums.get(key)?.value
    const sum = before === undefined ? value : peaks.has(name) ? Math.max(before, value) : before + value
    sums.set(key, { at: start, name, value: sum })
  }
  return sums.values()
}
