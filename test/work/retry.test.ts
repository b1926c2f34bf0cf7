import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryDelayMs } from '../../src/work/retry.ts'

const policy = { maxAttempts: 5, baseMs: 1_000, maxMs: 10_000 }

describe('the wait before the next attempt', () => {
  it('doubles from the base up to the maximum', () => {
    const delays = [1, 2, 3, 4].map((attempts) => retryDelayMs(attempts, 'backoff', policy, () => 0))
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000])
    expect(retryDelayMs(5, 'backoff', { ...policy, maxAttempts: 9 }, () => 0)).toBe(10_000)
  })

  it('ends with the last attempt, or at once for a permanent failure', () => {
    expect(retryDelayMs(5, 'backoff', policy, () => 0)).toBeUndefined()
    expect(retryDelayMs(1, 'never', policy, () => 0)).toBeUndefined()
    expect(retryDelayMs(5, { afterMs: 1 }, policy, () => 0)).toBeUndefined()
  })

  it('is at least the delay of the error, and at least half of the backoff', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 60_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, afterMs, random) => {
          const told = retryDelayMs(attempts, { afterMs }, policy, () => random) ?? 0
          const own = retryDelayMs(attempts, 'backoff', policy, () => random) ?? 0
          expect(told).toBeGreaterThanOrEqual(afterMs)
          const leastMs = (policy.baseMs * 2 ** (attempts - 1)) / 2
          expect(told).toBeGreaterThanOrEqual(leastMs)
          expect(own).toBeGreaterThanOrEqual(leastMs)
          expect(own).toBeLessThanOrEqual(policy.maxMs)
        },
      ),
    )
  })
})
