import { PawlError, retryOf } from '../../base/errors.ts'
import { pollDelayMs } from './pace.ts'
import type { Pollable } from '../../ledger/hot/polls.ts'

/** Says when a resource is polled again whose poll failed. */
export interface PollAgain {
  /** Counts the failure; the milliseconds until the next poll, twice as long after each failure in a row and never longer than the pace of its age; `undefined` where it is not polled any more. */
  failed(poll: Pick<Pollable, 'resourceId' | 'kind' | 'ageMs'>, error: unknown): number | undefined
  /** Forgets the failures of a resource that was read. */
  read(resourceId: string): void
}

const firstMs = 60_000
/** The longest pause of what is too old for a pace, such as what somebody asked for. */
const longestMs = 86_400_000
/** Of more, the oldest starts anew. */
const maxRemembered = 10_000

/** Remembers in this process alone how often the polls of each resource have failed: after a restart the pauses begin anew. */
export function createPollAgain(): PollAgain {
  const failures = new Map<string, number>()

  return {
    failed({ resourceId, kind, ageMs }, error) {
      // That the system is away, or a rate used up, is no news of the resource.
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
