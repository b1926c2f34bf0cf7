import type { Log } from './log.ts'

/** What was started and has to be closed. */
export interface Closers {
  /** Adds what closes a part; `close` calls the newest first. */
  add(close: () => unknown): void
  /** Closes every part, whatever becomes of the others; what fails to close is logged. */
  close(this: void): Promise<void>
}

export function createClosers(log: Log): Closers {
  const closers: (() => unknown)[] = []
  return {
    add: (close) => void closers.push(close),
    async close() {
      for (const close of closers.splice(0).toReversed()) {
        try {
          await close()
        } catch (error) {
          log.error({ error }, 'a part did not close')
        }
      }
    },
  }
}
