import { setTimeout as sleep } from 'node:timers/promises'

/** What ends sooner or later: somebody else had a lock, or two waited for each other. */
const passing: ReadonlySet<unknown> = new Set(['55P03', '40P01'])
const maxTries = 30
const pauseMs = 1_000

/** Tries a change of the schema again that others who use the tables did not let in, for about a minute. */
export async function patiently<T>(change: () => Promise<T>, triesLeft = maxTries): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (triesLeft <= 1 || !passing.has(codeOf(error))) throw error
    // Those who came behind get their turn.
    await sleep(pauseMs)
    return patiently(change, triesLeft - 1)
  }
}

/** What PostgreSQL said may be the cause of what a migration says. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  return 'code' in error ? error.code : codeOf(error.cause)
}
