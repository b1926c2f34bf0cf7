import { type Retry } from '../base/errors.ts'

/** How often, and how far apart, a failed run is tried again. */
export interface RetryPolicy {
  /** Attempts before the work is parked. */
  maxAttempts: number
  /** Milliseconds before the second attempt; each further wait is twice as long. */
  baseMs: number
  /** Maximum wait, in milliseconds, unless a system asks for more. */
  maxMs: number
}

/** Milliseconds until the next attempt, or `undefined` to park (docs/design.md, rule 8). `attempts` are those that count: work that has only waited so far has none, and is not parked for their number. Jitter takes up to half of the wait, so that work which failed together does not come back together. */
export function retryDelayMs(
  attempts: number,
  verdict: Retry,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (verdict === 'never' || attempts >= policy.maxAttempts) return undefined
  const backoffMs = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(attempts - 1, 0))
  const jittered = Math.round(backoffMs * (1 - random() / 2))
  // What was told is kept, and spread by up to half as much again, since many may have been told the same.
  return verdict === 'backoff' ? jittered : Math.max(Math.round(verdict.afterMs * (1 + random() / 2)), jittered)
}
