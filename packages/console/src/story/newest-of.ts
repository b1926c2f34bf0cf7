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

/**
 * The newest entries of several sources, the newest last, with a cursor for earlier ones; `isAll` if no source has more.
 * Rows of one source keep its order: a clock that was set may turn times back, but each row must come exactly once.
 */
export function newestOf(
  sources: readonly Source[],
  limit: number,
): { entries: StoryEntry[]; cursor: HistoryCursor; isAll: boolean } {
  const places = sources.map(() => 0)
  const heads = () =>
    sources.flatMap((source, index) => {
      const row = source[places[index] ?? 0]
      return row === undefined ? [] : [{ row, index }]
    })
  const taken: SourceRow[] = []
  let cursor: HistoryCursor = {}
  for (let left = heads(); left.length > 0; left = heads()) {
    if (taken.length === limit) return { entries: inOrder(taken), cursor, isAll: false }
    // Within one moment, take effects before causes, since the newest come first: sources are in the order of cause and effect.
    const { row, index } = left.reduce((latest, each) => (each.row.at >= latest.row.at ? each : latest))
    taken.push(row)
    cursor = { ...cursor, ...row.below }
    places[index] = (places[index] ?? 0) + 1
  }
  return { entries: inOrder(taken), cursor, isAll: true }
}

function inOrder(newestFirst: readonly SourceRow[]): StoryEntry[] {
  return newestFirst
    .toReversed()
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry)
}
