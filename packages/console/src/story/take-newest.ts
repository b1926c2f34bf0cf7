import type { StoryEntry } from '../contract/story.ts'
import type { HistoryCursor } from '@pawl/ledger/views/read-history'

export interface SourceRow {
  at: number
  /** The cursor for rows before this one. */
  below: HistoryCursor
  entry: StoryEntry
}

/** Rows of one kind, the newest first. */
export type Source = readonly SourceRow[]

/** Why `takeNewest` stopped: no row is left, `limit` rows were taken, or one was refused. */
type End = 'all' | 'limit' | 'refused'

/**
 * Gives the rows of several sources to `take`, the newest first, until it refuses one; with a cursor for those not taken.
 * Rows of one source keep its order: a clock that was set may turn times back, but each row must come exactly once.
 */
export function takeNewest(
  sources: readonly Source[],
  limit: number,
  take: (entry: StoryEntry) => boolean,
): { taken: number; cursor: HistoryCursor; end: End } {
  const places = sources.map(() => 0)
  const heads = () =>
    sources.flatMap((source, index) => {
      const row = source[places[index] ?? 0]
      return row === undefined ? [] : [{ row, index }]
    })
  let taken = 0
  let cursor: HistoryCursor = {}
  for (let left = heads(); left.length > 0; left = heads()) {
    if (taken === limit) return { taken, cursor, end: 'limit' }
    // Within one moment, take effects before causes, since the newest come first: sources are in the order of cause and effect.
    const { row, index } = left.reduce((latest, each) => (each.row.at >= latest.row.at ? each : latest))
    if (!take(row.entry)) return { taken, cursor, end: 'refused' }
    taken += 1
    cursor = { ...cursor, ...row.below }
    places[index] = (places[index] ?? 0) + 1
  }
  return { taken, cursor, end: 'all' }
}
