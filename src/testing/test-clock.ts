import type { Clock } from '../base/clock.ts'

/** Time that passes as everywhere, and can jump ahead. */
export interface TestClock extends Clock {
  elapsed(): number
  /** Jumps ahead to `time` (ms since 1970); does nothing when that is in the past. */
  jumpTo(time: number): void
}

/** Creates a clock that starts at `startsAt`, ms since 1970. */
export function createTestClock(startsAt: number): TestClock {
  const startedAt = performance.now()
  let jumpedMs = 0
  // What jumped has passed: whoever compares clock and elapsed time sees no clock that was set.
  const elapsed = () => performance.now() - startedAt + jumpedMs
  const now = () => Math.floor(startsAt + elapsed())
  return {
    now,
    elapsed,
    jumpTo: (time) => void (jumpedMs += Math.max(0, time - now())),
  }
}
