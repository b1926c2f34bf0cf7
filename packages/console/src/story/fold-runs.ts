import type { RunEntry, StoryEntry } from '../contract/story.ts'

/** Collects a story from its newest entry back, up to a max number of entries. Equal failures and waits of one handler with nothing else between them are one entry. */
export interface Fold {
  /** Takes the next earlier entry; false if it would be one too many. */
  take(this: void, entry: StoryEntry): boolean
  /** The entries, oldest first. */
  entries(this: void): StoryEntry[]
}

export function createFold(limit: number): Fold {
  const folded: StoryEntry[] = []
  /** Open runs by what makes them equal, with their places. */
  const open = new Map<string, number>()
  return {
    take(entry) {
      const name = sameness(entry)
      const place = name === undefined ? undefined : open.get(name)
      const newest = place === undefined ? undefined : folded[place]
      if (place !== undefined && newest?.kind === 'run' && entry.kind === 'run') {
        folded[place] = { ...newest, times: newest.times + 1, since: entry.since }
        return true
      }
      if (folded.length === limit) return false
      if (name === undefined) open.clear()
      else open.set(name, folded.length)
      folded.push(entry)
      return true
    },
    // A clock that was set may turn times back.
    entries: () => folded.toReversed().toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)),
  }
}

/** Equal for failures that read alike, and for waits of a handler for one system or pause; undefined for any other entry. */
function sameness(entry: StoryEntry): string | undefined {
  if (entry.kind !== 'run' || entry.writes.length > 0) return undefined
  const { handler, result, error, waitsFor }: RunEntry = entry
  if (waitsFor !== undefined) return [handler, waitsFor].join('\n')
  return result === 'failed' ? [handler, error?.code, error?.message].join('\n') : undefined
}
