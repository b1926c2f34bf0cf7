import type { Written } from '../connectors/written.ts'

type Port = Record<keyof never, (...args: never[]) => Promise<Written[]>>

/** The same port, noting the receipt of every write in `writes`, and refusing to write once the run's time is up: a run that was given up must not touch a system that its successor works on. */
export function recordWrites<P extends object>(
  port: P & { [K in keyof P]: Port[keyof never] },
  writes: Written[],
  signal: AbortSignal,
): P {
  const recorded = Object.entries<Port[keyof never]>(port).map(([name, write]) => [
    name,
    async (...args: never[]) => {
      signal.throwIfAborted()
      const receipts = await write(...args)
      writes.push(...receipts)
      return receipts
    },
  ])
  // Every method was replaced by one of the same signature, which fromEntries cannot express.
  return Object.fromEntries(recorded) as P
}
