import { setTimeout as sleep } from 'node:timers/promises'

/** Temporary failures: lock not available, deadlock. */
const passing: ReadonlySet<unknown> = new Set(['55P03', '40P01'])
const maxTries = 30
const pauseMs = 1_000

/** Retries a schema change that other users' locks prevented, for about a minute. */
export async function patiently<T>(change: () => Promise<T>, triesLeft = maxTries): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (triesLeft <= 1 || !passing.has(codeOf(error))) throw error
    // Lets the writers queued behind it proceed.
    await sleep(pauseMs)
    return patiently(change, triesLeft - 1)
  }
}

/** A migration error may carry PostgreSQL's error as its cause. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  return 'code' in error ? error.code : codeOf(error.cause)
}
