import type { Clock } from '@pawl/base/clock'

/** Asks once for all runs that want the same answer at about the same time. Throws the errors of `ask`. */
export type RecentAnswers<T> = (key: string, ask: () => Promise<T>) => Promise<T>

/** The answers that the runs of this process share: one in flight, or one that came within the last `keptMs`. A failure is not shared, since it may belong to the run that asked. */
export function createRecentAnswers<T>(clock: Clock, keptMs: number): RecentAnswers<T> {
  const asked = new Map<string, { answer: Promise<T>; until: number }>()
  return async (key, ask) => {
    for (const [old, { until }] of asked) {
      if (until > clock.now()) break
      asked.delete(old)
    }
    const shared = asked.get(key)
    if (shared !== undefined && shared.until > clock.now()) {
      const [told] = await Promise.allSettled([shared.answer])
      if (told.status === 'fulfilled') return told.value
    }
    const own = { answer: ask(), until: Infinity }
    asked.delete(key)
    asked.set(key, own)
    try {
      return await own.answer
    } finally {
      own.until = clock.now() + keptMs
    }
  }
}
