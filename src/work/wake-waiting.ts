import type { Log } from '@pawl/base/log'
import { ownActor } from '@pawl/ledger/audit/audit-entry'
import type { FailedWork } from '@pawl/ledger/upkeep/create-failed-work'

export interface WakingDeps {
  ledger: Pick<FailedWork, 'wake'>
  /** Wakes a worker for a due resource. */
  enqueue: (resourceId: string) => void
  /** Aborts when the process stops. */
  stopping: AbortSignal
  log: Log
  /** Milliseconds until work in progress has been released. */
  stragglersMs?: number
}

/** Makes a function that wakes all work waiting for a system. It does so now, and again a moment later for work in progress that went back to waiting. */
export function createWaking({ ledger, enqueue, stopping, log, stragglersMs = 2_000 }: WakingDeps) {
  async function wake(system: string): Promise<void> {
    if (stopping.aborted) return
    try {
      const ids = await ledger.wake(system, { actor: ownActor, reason: 'such requests are taken again' })
      for (const id of ids) enqueue(id)
    } catch (error) {
      log.warn({ error }, 'work not woken')
    }
  }

  return (system: string): void => {
    void wake(system)
    setTimeout(() => void wake(system), stragglersMs).unref()
  }
}
