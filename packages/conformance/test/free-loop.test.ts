import { expect, it } from 'vitest'
import { isOwnStall } from '../src/rules/free-loop.ts'

it.each([
  ['works for long', { handler: 'chart', durationMs: 2_600, cpuMs: 2_500 }, true],
  [
    'works for long on a machine that has little time for it',
    { handler: 'chart', durationMs: 9_000, cpuMs: 1_600 },
    true,
  ],
  ['waits for long without giving way', { handler: 'chart', durationMs: 12_000, cpuMs: 3 }, true],
  ['does little on a machine that has no time for it', { handler: 'chart', durationMs: 6_000, cpuMs: 400 }, false],
  ['is not in work', { handler: '', durationMs: 6_000, cpuMs: 6_000 }, false],
])('a handler that %s: %o stalls the process: %s', (_, stall, expected) => {
  expect(isOwnStall(stall)).toBe(expected)
})
