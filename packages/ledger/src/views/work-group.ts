import { groupBy } from '../hot/group-by.ts'
import type { WorkKey } from '../hot/work-filter.ts'

/** A group of failed work. */
export interface WorkGroup extends WorkKey {
  /** Number of resources, capped at `maxFailuresCounted`. */
  count: number
  /** Those of them that no group before it has, of the same system and error: the cases of a cause, whatever handlers failed. */
  cases: number
  /** The number of the newest failure; later failures have higher ones. */
  newest: number
  newestAt: number | undefined
  /** When the first of them failed first, since its last success. */
  oldestAt: number | undefined
  /** Message of the newest failure, and the HTTP status of the answer. */
  message: string
  httpStatus?: number | undefined
  /** Present on request for work not parked: the piece tried most often, and how many pieces reached the same requested number of attempts; 0 if none was reached. */
  mostTried?: { resourceId: string; attempts: number; reached: number }
}

/** Cap of the count, per group. */
export const maxFailuresCounted = 10_000

/** Amount of matching work per handler, largest first. */
export function countByHandler(
  work: readonly { handler: string; count?: number }[],
): { handler: string; count: number }[] {
  const counts = [...groupBy(work, ({ handler }) => handler)].map(([handler, own]) => ({
    handler,
    count: own.reduce((sum, { count = 1 }) => sum + count, 0),
  }))
  return counts.toSorted((a, b) => b.count - a.count)
}
