import type { Clock } from '@pawl/base/clock'

/** Runs in real time, and can jump ahead. */
export interface TestClock extends Clock {
  elapsed(): number
  /** Jumps ahead to `time` (ms since 1970); ignores a time in the past. */
  jumpTo(time: number): void
}

/** `startsAt`: ms since 1970. */
export function createTestClock(startsAt: number): TestClock {
  const startedAt = performance.now()
  let jumpedMs = 0
  // A jump counts as elapsed, so it does not look like a change of the system clock.
  const elapsed = () => performance.now() - startedAt + jumpedMs
  const now = () => Math.floor(startsAt + elapsed())
  return {
    now,
    elapsed,
    jumpTo: (time) => void (jumpedMs += Math.max(0, time - now())),
  }
}
