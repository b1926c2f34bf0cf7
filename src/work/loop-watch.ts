import type { Log } from '../base/log.ts'

/** Notices when something holds up the event loop, and names the handlers that were in work then. */
export interface LoopWatch {
  /** A run begins; the answer ends it. */
  begin(handler: string): () => void
  close(): void
}

const checkEveryMs = 200
/** While one piece of code runs so long, nobody is answered and no lease is renewed. Milliseconds. */
const maxHoldMs = 1_000

/** Checks several times a second, and knows from its own lateness how long nothing else could run; `count` is told of each hold-up in milliseconds. The log tells as well how much of a processor the process had meanwhile: of a hold-up by a busy machine, little. */
export function createLoopWatch({ log, count }: { log: Log; count: (holdMs: number) => void }): LoopWatch {
  /** In work now, or ended since the last check: a handler that held up the loop may well have ended with it. */
  const suspects = new Map<symbol, { handler: string; hasEnded: boolean }>()
  let checkedAt = performance.now()
  let usedBefore = readCpuMs()

  const timer = setInterval(() => {
    const now = performance.now()
    const holdMs = Math.round(now - checkedAt - checkEveryMs)
    checkedAt = now
    const used = readCpuMs()
    const cpuMs = Math.round(used - usedBefore)
    usedBefore = used
    if (holdMs > maxHoldMs) {
      // A value of the log holds no spaces.
      const handlers = [...new Set([...suspects.values()].map(({ handler }) => handler))].join(',')
      log.warn(
        { handler: handlers, duration_ms: holdMs, cpu_ms: cpuMs },
        'the event loop was held up while these handlers were in work',
      )
      count(holdMs)
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

/** What the whole process used so far. */
function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
