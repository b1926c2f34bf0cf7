import type { Log } from '../base/log.ts'
import type { Claims } from '../ledger/hot/create-claims.ts'
import type { HoldBook } from '../ledger/hot/create-hold-book.ts'

export interface SweeperDeps {
  ledger: Pick<Claims, 'wakeParked' | 'due' | 'nextDueIn' | 'followClock'> & Pick<HoldBook, 'dueLetThrough'>
  /** Whether all work is paused but what was let through. */
  isAllHeld: () => boolean
  enqueue: (resourceId: string) => Promise<void>
  /** Maximum time between two sweeps, in milliseconds. */
  intervalMs: number
  /** How long a claim lasts unless renewed, in milliseconds. */
  leaseMs: number
  log: Log
}

/** Enqueues whatever is due: what waited for its retry, what a lost job, a flushed queue or a killed process left behind. */
export interface Sweeper {
  /** Sweeps now, and again whenever the next work comes due. */
  start(): void
  /** Sweeps no later than after so many milliseconds. */
  wakeIn(this: void, delayMs: number): void
  /** Waits for a sweep in progress and stops. */
  close(): Promise<void>
}

/** Resources that one sweep enqueues; a larger backlog takes several, so that memory stays flat. */
const batchSize = 500
const minPauseMs = 100

export function createSweeper({ ledger, isAllHeld, enqueue, intervalMs, leaseMs, log }: SweeperDeps): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let timerAt = Infinity
  let sweptAt = 0
  let sweeping: Promise<void> | undefined
  let state: 'idle' | 'running' | 'closed' = 'idle'

  function schedule(delayMs: number): void {
    // Not by the clock, which may be set: then this process would sleep as long as it was set back.
    const now = performance.now()
    const at = Math.max(now + delayMs, sweptAt + minPauseMs)
    if (state !== 'running' || at >= timerAt) return
    clearTimeout(timer)
    timerAt = at
    timer = setTimeout(() => void run(), at - now)
  }

  async function run(): Promise<void> {
    timerAt = Infinity
    sweptAt = performance.now()
    sweeping ??= sweep()
    await sweeping
    sweeping = undefined
  }

  async function sweep(): Promise<void> {
    let pauseMs = intervalMs
    try {
      if (await ledger.followClock(leaseMs))
        log.warn({ component: 'sweeper' }, 'the clock was set: all waiting work is due')
      const isHeld = isAllHeld()
      if (!isHeld) await ledger.wakeParked(batchSize)
      const ids = isHeld ? await ledger.dueLetThrough(batchSize) : await ledger.due(batchSize)
      for (const id of ids) await enqueue(id)
      // While it is held, work is due all the time.
      const nextIn = isHeld ? undefined : await ledger.nextDueIn()
      if (nextIn !== undefined) pauseMs = Math.min(intervalMs, Math.max(0, nextIn))
    } catch (error) {
      log.error({ error }, 'sweep failed')
    }
    schedule(pauseMs)
  }

  return {
    start() {
      state = 'running'
      schedule(0)
    },
    wakeIn: (delayMs) => schedule(Math.min(intervalMs, Math.max(0, delayMs))),
    async close() {
      state = 'closed'
      clearTimeout(timer)
      await sweeping
    },
  }
}
