import type { Log } from '@pawl/base/log'
import type { Claims } from '@pawl/ledger/hot/create-claims'
import type { Leases } from './lease.ts'

export interface SweeperDeps {
  ledger: Pick<Claims, 'wakeParked' | 'due' | 'nextDueIn'>
  leases: Pick<Leases, 'followClock'>
  /** Whether all work is paused. */
  isAllPaused: () => boolean
  enqueue: (resourceId: string) => Promise<void>
  /** Max time between two sweeps, in milliseconds. */
  intervalMs: number
  log: Log
}

/** Enqueues due resources: retries, and work left behind by a lost job, a flushed queue or a killed process. */
export interface Sweeper {
  /** Sweeps now, and again each time work comes due. */
  start(): void
  /** Sweeps within `delayMs`. */
  wakeIn(this: void, delayMs: number): void
  /** Waits for a sweep in progress and stops. */
  close(): Promise<void>
}

/** Max resources per sweep, so that memory stays flat with any backlog. */
const batchSize = 500
const minPauseMs = 100

export function createSweeper({ ledger, isAllPaused, enqueue, intervalMs, leases, log }: SweeperDeps): Sweeper {
  let timer: NodeJS.Timeout | undefined
  let timerAt = Infinity
  let sweptAt = 0
  let sweeping: Promise<void> | undefined
  let state: 'idle' | 'running' | 'closed' = 'idle'

  function schedule(delayMs: number): void {
    // Monotonic: a wall clock set back would prolong the sleep.
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
      if (await leases.followClock()) log.warn({ component: 'sweeper' }, 'the clock was set: all waiting work is due')
      // Paused work stays due.
      if (!isAllPaused()) {
        await ledger.wakeParked(batchSize)
        for (const id of await ledger.due(batchSize)) await enqueue(id)
        pauseMs = Math.min(intervalMs, Math.max(0, (await ledger.nextDueIn()) ?? intervalMs))
      }
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
