/** Runs work under one key in sequence. */
export type OneAtATime = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs work under one key in sequence and under different keys in parallel, within this process. The handlers of a resource run side by side
 * in the process that claimed it: two searches that find nothing would both create, and so can two conditional updates (FHIR R4).
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
