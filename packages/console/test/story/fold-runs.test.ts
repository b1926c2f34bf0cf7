import { expect, it } from 'vitest'
import type { RunEntry, StoryEntry } from '../../src/contract/story.ts'
import { createFold } from '../../src/story/fold-runs.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 8, 0, second)).toISOString()

const run = (second: number, handler: string, different: Partial<RunEntry> = {}): RunEntry => ({
  kind: 'run',
  at: at(second),
  handler,
  result: 'failed',
  times: 1,
  since: at(second),
  durationMs: 3,
  events: { first: 1, last: 1 },
  writes: [],
  error: { code: 'chart_locked', message: 'The chart is open elsewhere.' },
  ...different,
})

const wait = (second: number, code: string): RunEntry =>
  run(second, 'a', { result: 'waited', waitsFor: 'ehr', error: { code } })

/** Folds a story, oldest entry first, up to `limit` entries; with the number of those taken. */
function fold(entries: readonly StoryEntry[], limit = 100) {
  const folded = createFold(limit)
  const refused = entries.toReversed().findIndex((entry) => !folded.take(entry))
  return { entries: folded.entries(), taken: refused === -1 ? entries.length : refused }
}

it('equal failures of a handler are one entry, where the newest stands, also with those of another between them', () => {
  const entries = [run(0, 'a'), run(1, 'b'), run(10, 'a'), run(11, 'b'), run(30, 'a')]
  expect(fold(entries).entries).toEqual([
    { ...entries[3], times: 2, since: at(1) },
    { ...entries[4], times: 3, since: at(0) },
  ])
})

it('failures stay apart with another error, with something that was written, and around anything else', () => {
  const entries: StoryEntry[] = [
    run(0, 'a'),
    run(1, 'a', { error: { code: 'other', message: '' } }),
    run(2, 'a', { writes: [{ system: 'ehr', type: 'Task', id: '1' }] }),
    run(3, 'a'),
    run(4, 'a', { result: 'succeeded', error: undefined }),
    run(5, 'a'),
  ]
  expect(fold(entries).entries).toEqual(entries)
})

it('waits of a handler for one system are one entry, before and after it is known to be away', () => {
  const entries = [wait(0, 'outage_unconfirmed'), wait(1, 'system_down'), wait(2, 'system_down')]
  expect(fold(entries).entries).toEqual([{ ...entries[2], times: 3, since: at(0) }])
})

it('a full part still takes what one of its entries stands for, and nothing else', () => {
  const entries = [run(0, 'a'), run(1, 'b'), run(2, 'c'), run(3, 'b'), run(4, 'c')]
  expect(fold(entries, 2)).toMatchObject({ entries: [{ times: 2 }, { times: 2 }], taken: 4 })
})
