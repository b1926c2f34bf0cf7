import { expect, it } from 'vitest'
import type { StoryEntry } from '../../src/contract/story.ts'
import { foldFailures } from '../../src/story/fold-failures.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 8, 0, second)).toISOString()

const run = (second: number, handler: string, different: object = {}): StoryEntry => ({
  kind: 'run',
  at: at(second),
  handler,
  result: 'failed',
  durationMs: 3,
  events: { first: 1, last: 1 },
  writes: [],
  error: { code: 'chart_locked', message: 'The chart is open elsewhere.' },
  ...different,
})

it('equal failures of a handler are one line, where the newest stands, also with those of another between them', () => {
  const entries = [run(0, 'a'), run(1, 'b'), run(10, 'a'), run(11, 'b'), run(30, 'a')]
  expect(foldFailures(entries)).toEqual([
    { entry: entries[3], times: 2, since: at(1) },
    { entry: entries[4], times: 3, since: at(0) },
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
  expect(foldFailures(entries)).toEqual(entries.map((entry) => ({ entry, times: 1, since: entry.at })))
})
