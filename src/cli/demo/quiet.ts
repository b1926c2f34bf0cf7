import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './stage.ts'
import type { Watch } from './watch.ts'

export interface QuietDeps {
  stage: Pick<Stage, 'sandbox' | 'gateway'>
  watch: Pick<Watch, 'steps'>
  /** Max milliseconds without progress. */
  patienceMs: number
  /** Ends the wait. */
  signal: AbortSignal
}

const lookMs = 50

/** A longer gap means that the machine was suspended, so it does not count as a stall. */
const maxLookMs = 1_000

/** Resolves with true once the service is idle and pawl has nothing due, with false after `patienceMs` without progress. Rejects when the signal aborts. */
export async function waitForQuiet({ stage, watch, patienceMs, signal }: QuietDeps): Promise<boolean> {
  let steps = -1
  let idleMs = 0
  let lookedAt = performance.now()
  for (;;) {
    const isSettled = await Promise.race([stage.sandbox.settled().then(() => true), sleep(lookMs, false, { signal })])
    signal.throwIfAborted()
    if (isSettled && (await stage.gateway.ledger.counts()).due === 0) return true
    const now = performance.now()
    idleMs = watch.steps === steps ? idleMs + Math.min(now - lookedAt, maxLookMs) : 0
    if (idleMs > patienceMs) return false
    steps = watch.steps
    lookedAt = now
    // A settled service answers at once; pawl's work takes longer.
    if (isSettled) await sleep(lookMs, undefined, { signal })
  }
}
