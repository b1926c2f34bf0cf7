import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './log.ts'

/** Why everything is closed. */
export interface StopOptions {
  /** After an error that nobody caught: what is in work may be what threw. */
  crashed: boolean
}

/** What was started and has to be closed, within one time limit for all of it. */
export interface Closers {
  /** Adds a part that takes work in or does it: all of these are closed at once, before any other. `close` gets the milliseconds in which it may finish what is in hand. */
  addFront(close: (graceMs: number, options: StopOptions) => unknown): void
  /** Adds a part that others stand on: these are closed one after the other, the newest first. */
  add(close: () => unknown): void
  /** Closes everything, whatever becomes of the others: what fails, or takes too long, is logged and left. Comes back within `graceMs` and four seconds. */
  close(this: void, graceMs: number, options: StopOptions): Promise<void>
}

/** What giving work back, or closing all that others stand on, may take after the grace, in milliseconds. */
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
