/** Runs the works of one key one after another. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs works of one key one after another, works of different keys at once. Within this process only: two conditional updates of one identifier
 * that overlap can both create (FHIR R4, conditional update), and two handlers may write the same resource.
 */
export function createOneAtATime(): OneAtATime {
  const tails = new Map<string, Promise<unknown>>()
  return async (key, work) => {
    const before = tails.get(key) ?? Promise.resolve()
    const turn = before.then(work, work)
    tails.set(key, turn)
    try {
      return await turn
    } finally {
      if (tails.get(key) === turn) tails.delete(key)
    }
  }
}
