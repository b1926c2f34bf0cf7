import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './stage.ts'
import type { Watch } from './watch.ts'

/** What the waiting needs. */
export interface QuietDeps {
  stage: Pick<Stage, 'sandbox' | 'gateway'>
  watch: Pick<Watch, 'steps'>
  /** Milliseconds without any step forward after which nothing more is expected. */
  patienceMs: number
  /** Ends the wait. */
  signal: AbortSignal
}

const lookMs = 50

/** A machine that held still for longer, asleep for example, gave nothing the chance to go forward. */
const maxLookMs = 1_000

/** Resolves with true once the service has nothing to do and pawl nothing due, with false once nothing went forward for `patienceMs`. Rejects when the signal aborts. */
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
    // A service that is settled answers at once; pawl's work needs its time.
    if (isSettled) await sleep(lookMs, undefined, { signal })
  }
}
