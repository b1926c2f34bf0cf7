import { setTimeout as sleep } from 'node:timers/promises'

/** A task of upkeep that comes again and again. */
export interface Rounds {
  /** Begins no further step, and lets the one in progress end, for two seconds at the most. */
  close(): Promise<void>
}

const closeTimeoutMs = 2_000

/** Does a task now, and again each time after as many milliseconds as it resolves with. It must not reject, and is to stop between two steps once `stopping` is aborted. */
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
