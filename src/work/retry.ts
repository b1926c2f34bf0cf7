import { type Retry } from '@pawl/base/errors'

/** The retry policy of failed runs. */
export interface RetryPolicy {
  /** Attempts before the work is parked. */
  maxAttempts: number
  /** Milliseconds before the second attempt; doubled each time. */
  baseMs: number
  /** Max wait, in milliseconds, unless a system asks for more. */
  maxMs: number
}

/** Milliseconds until the next attempt, or `undefined` to park (docs/design.md, rule 8). `attempts` excludes waits, so waiting alone never parks work. Jitter takes up to half of the wait, which spreads retries of work that failed together. */
export function retryDelayMs(
  attempts: number,
  verdict: Retry,
  policy: RetryPolicy,
  random: () => number,
): number | undefined {
  if (verdict === 'never' || attempts >= policy.maxAttempts) return undefined
  const backoffMs = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(attempts - 1, 0))
  const jittered = Math.round(backoffMs * (1 - random() / 2))
  // The wait that a system requested, plus up to half of it, since many callers may have received the same one.
  return verdict === 'backoff' ? jittered : Math.max(Math.round(verdict.afterMs * (1 + random() / 2)), jittered)
}
