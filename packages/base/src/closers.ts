import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

export interface StopOptions {
  /** Set after an uncaught error, which the work in progress may have thrown. */
  crashed: boolean
}

/** Started parts to close, all within one time limit. */
export interface Closers {
  /** Adds a part that accepts or does work. These parts close first, in parallel. `close` gets the milliseconds that it may spend on work in progress. */
  addFront(close: (graceMs: number, options: StopOptions) => unknown): void
  /** Adds a part that others depend on. These parts close last, one after another, newest first. */
  add(close: () => unknown): void
  /** Closes all parts. A part that fails or times out is logged and skipped. Resolves within `graceMs` plus four seconds. */
  close(this: void, graceMs: number, options: StopOptions): Promise<void>
}

/** Milliseconds after the grace for releasing work, and again for closing the parts that others depend on. */
const allowanceMs = 2_000

export function createClosers(log: Log): Closers {
  const front: ((graceMs: number, options: StopOptions) => unknown)[] = []
  const others: (() => unknown)[] = []

  async function closeOne(close: () => unknown, withinMs: number): Promise<void> {
    const stopWaiting = new AbortController()
    const late = sleep(withinMs, 'late', { signal: stopWaiting.signal })
    try {
      const closed = await Promise.race([Promise.resolve().then(close), late])
      if (closed === 'late') log.error({ duration_ms: Math.round(withinMs) }, 'a part did not close in time')
    } catch (error) {
      log.error({ error }, 'a part did not close')
    } finally {
      stopWaiting.abort()
      await late.catch(() => undefined)
    }
  }

  return {
    addFront: (close) => void front.push(close),
    add: (close) => void others.push(close),
    async close(graceMs, options) {
      await Promise.all(front.splice(0).map((close) => closeOne(() => close(graceMs, options), graceMs + allowanceMs)))
      const endsAt = performance.now() + allowanceMs
      for (const close of others.splice(0).toReversed()) {
        await closeOne(close, Math.max(100, endsAt - performance.now()))
      }
    },
  }
}
