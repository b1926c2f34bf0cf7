import type { Log } from '@pawl/base/log'

/** Detects stalls of the event loop and names the handlers running at the time. */
export interface LoopWatch {
  /** Marks the start of a run; call the result at its end. */
  begin(handler: string): () => void
  close(): void
}

const checkEveryMs = 200
/** A stall of this length answers no request and renews no lease. Milliseconds. */
const maxStallMs = 1_000

/** Measures stalls by the lateness of its own timer, several times a second; `count` gets each one in milliseconds. The log adds the CPU share of the process: a low share points to a busy machine. */
export function createLoopWatch({ log, count }: { log: Log; count: (stallMs: number) => void }): LoopWatch {
  /** Handlers that run now, or ended since the last check: a handler that stalled the loop may have ended with the stall. */
  const suspects = new Map<symbol, { handler: string; hasEnded: boolean }>()
  let checkedAt = performance.now()
  let usedBefore = readCpuMs()

  const timer = setInterval(() => {
    const now = performance.now()
    const stallMs = Math.round(now - checkedAt - checkEveryMs)
    checkedAt = now
    const used = readCpuMs()
    const cpuMs = Math.round(used - usedBefore)
    usedBefore = used
    if (stallMs > maxStallMs) {
      // Log values hold no spaces.
      const handlers = [...new Set([...suspects.values()].map(({ handler }) => handler))].join(',')
      log.warn(
        { handler: handlers, duration_ms: stallMs, cpu_ms: cpuMs },
        'the event loop was held up while these handlers were in work',
      )
      count(stallMs)
    }
    for (const [run, { hasEnded }] of suspects) if (hasEnded) suspects.delete(run)
  }, checkEveryMs).unref()

  return {
    begin(handler) {
      const run = Symbol(handler)
      const suspect = { handler, hasEnded: false }
      suspects.set(run, suspect)
      return () => {
        suspect.hasEnded = true
      }
    },
    close: () => clearInterval(timer),
  }
}

/** CPU time of the process so far. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
