import { PawlError, retryOf } from '@pawl/base/errors'
import { pollDelayMs } from './pace.ts'
import type { Pollable } from '@pawl/ledger/hot/polls'

/** Backoff of failed polls. */
export interface PollAgain {
  /** Counts the failure and returns the milliseconds until the next poll. Each failure in a row doubles them, up to the pace of the resource's age. `undefined` once polls end. */
  failed(poll: Pick<Pollable, 'resourceId' | 'kind' | 'ageMs'>, error: unknown): number | undefined
  /** Resets the count of a resource that was read. */
  read(resourceId: string): void
}

const firstMs = 60_000
/** The longest backoff of a resource too old for a pace, such as one polled on request. */
const longestMs = 86_400_000
/** Beyond this, the oldest count is dropped. */
const maxRemembered = 10_000

/** Counts failures in memory, so a restart resets the backoff. */
export function createPollAgain(): PollAgain {
  const failures = new Map<string, number>()

  return {
    failed({ resourceId, kind, ageMs }, error) {
      // An absent system or a spent rate limit is not the resource's fault.
      if (error instanceof PawlError && !error.costsAttempt) return firstMs
      const before = failures.get(resourceId) ?? 0
      const [oldest] = failures.keys()
      if (before === 0 && failures.size >= maxRemembered && oldest !== undefined) failures.delete(oldest)
      failures.set(resourceId, before + 1)
      const pauseMs = Math.min(firstMs * 2 ** before, longestMs)
      const paceMs = pollDelayMs(kind, undefined, ageMs)
      if (paceMs !== undefined) return Math.min(pauseMs, paceMs)
      if (pauseMs < longestMs || retryOf(error) !== 'never') return pauseMs
      failures.delete(resourceId)
      return undefined
    },
    read: (resourceId) => void failures.delete(resourceId),
  }
}
