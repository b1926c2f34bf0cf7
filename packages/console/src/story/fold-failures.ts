import type { RunEntry, StoryEntry } from '../contract/story.ts'

/** An entry as a page shows it: equal failures of one handler with nothing else between them are one. */
export interface FoldedEntry {
  /** The newest of them. */
  entry: StoryEntry
  times: number
  /** ISO date-time of the first. */
  since: string
}

/** Folds a story, oldest entry first. Failures of other handlers may stand between equal ones. */
export function foldFailures(entries: readonly StoryEntry[]): FoldedEntry[] {
  const folded: FoldedEntry[] = []
  let failing = new Map<string, FoldedEntry>()
  for (const entry of entries) {
    const name = failureOf(entry)
    const open = name === undefined ? undefined : failing.get(name)
    const next: FoldedEntry = { entry, times: (open?.times ?? 0) + 1, since: open?.since ?? entry.at }
    if (open !== undefined) folded.splice(folded.indexOf(open), 1)
    folded.push(next)
    if (name === undefined) failing = new Map()
    else failing.set(name, next)
  }
  return folded
}

/** Equal for failures that read alike; undefined for any other entry. */
function failureOf(entry: StoryEntry): string | undefined {
  if (entry.kind !== 'run' || entry.result !== 'failed' || entry.writes.length > 0) return undefined
  const { handler, error }: RunEntry = entry
  return [handler, error?.code, error?.message].join('\n')
}
