import type { Clock } from '@pawl/base/clock'

/** Sends one request for all runs that need the same answer at about the same time. Throws the errors of `ask`. */
export type RecentAnswers<T> = (key: string, ask: () => Promise<T>) => Promise<T>

/** Shares answers among the runs of this process: one in flight, or one of the last `keptMs`. A failure is not shared, since it may concern one run only. */
export function createRecentAnswers<T>(clock: Clock, keptMs: number): RecentAnswers<T> {
  const answers = new Map<string, { answer: Promise<T>; until: number }>()
  return async (key, ask) => {
    for (const [old, { until }] of answers) {
      if (until > clock.now()) break
      answers.delete(old)
    }
    const shared = answers.get(key)
    if (shared !== undefined && shared.until > clock.now()) {
      const [told] = await Promise.allSettled([shared.answer])
      if (told.status === 'fulfilled') return told.value
    }
    const own = { answer: ask(), until: Infinity }
    answers.delete(key)
    answers.set(key, own)
    try {
      return await own.answer
    } finally {
      own.until = clock.now() + keptMs
    }
  }
}
