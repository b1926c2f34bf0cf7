import { setTimeout as sleep } from 'node:timers/promises'

/** A recurring upkeep task. */
export interface Rounds {
  /** Starts no further step, and waits up to two seconds for the current one. */
  close(): Promise<void>
}

const closeTimeoutMs = 2_000

/** Runs a task now, and again after the milliseconds it resolves with. It must not reject, and must stop between steps once `stopping` is aborted. */
export function startRounds(task: (stopping: AbortSignal) => Promise<number>): Rounds {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function turn(): Promise<void> {
    const waitMs = await task(stopping.signal)
    if (!stopping.signal.aborted) timer = setTimeout(start, waitMs)
  }

  let round: Promise<void>
  function start(): void {
    round = turn()
  }
  start()

  return {
    async close() {
      stopping.abort()
      clearTimeout(timer)
      await Promise.race([round, sleep(closeTimeoutMs, undefined, { ref: false })])
    },
  }
}
