import { sql, type Transaction } from 'kysely'
import type { Tables } from '../tables.ts'
import type { Untallied } from '../views/tallies.ts'
import type { Tally, TallySource } from '../views/tally-of-time.ts'

const hourMs = 3_600_000
/** Minutes serve a day, hours a week; a margin covers the current ones. */
const keptMs = { minute: 25 * hourMs, hour: 8 * 24 * hourMs } as const

const peaks = new Set<Tally['name']>(['slowest_ms', 'due', 'waiting', 'parked'])

/** Adds counts by minute and by hour, and deletes expired ones. False if another process counted it first. */
export async function noteTallies(
  trx: Transaction<Tables>,
  { tallies, from, to, events }: Pick<Untallied, 'tallies' | 'from' | 'to' | 'events'>,
  now: number,
): Promise<boolean> {
  for (const source of ['events', 'journal', 'rejections'] satisfies TallySource[]) {
    await trx
      .insertInto('tallied')
      .values({ source, last_id: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    // Locks the row, so that two processes never count the same.
    const { numUpdatedRows } = await trx
      .updateTable('tallied')
      .set((eb) => ({ last_id: to[source], stored: eb('stored', '+', source === 'events' ? events : 0) }))
      .where('source', '=', source)
      .where('last_id', '=', from[source])
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
  }
  for (const span of ['minute', 'hour'] as const) {
    const oldest = now - keptMs[span]
    for (const { at, name, value } of tallies) {
      const start = span === 'minute' ? at : Math.floor(at / hourMs) * hourMs
      if (start < oldest) continue
      const next = peaks.has(name)
        ? sql<number>`case when excluded.value > tallies.value then excluded.value else tallies.value end`
        : sql<number>`tallies.value + excluded.value`
      await trx
        .insertInto('tallies')
        .values({ span, at: start, name, value })
        .onConflict((conflict) => conflict.columns(['span', 'at', 'name']).doUpdateSet({ value: next }))
        .execute()
    }
    await trx.deleteFrom('tallies').where('span', '=', span).where('at', '<', oldest).execute()
  }
  return true
}
