import type { Written } from '../connectors/written.ts'

type Port = Record<keyof never, (...args: never[]) => Promise<Written[]>>

/** The same port, noting the receipt of every write in `writes`, and asking `assertMayAct` before each: a run that was given up must not touch a system that its successor works on. */
export function recordWrites<P extends object>(
  port: P & { [K in keyof P]: Port[keyof never] },
  writes: Written[],
  assertMayAct: () => void,
): P {
  const recorded = Object.entries<Port[keyof never]>(port).map(([name, write]) => [
    name,
    async (...args: never[]) => {
      assertMayAct()
      const receipts = await write(...args)
      writes.push(...receipts)
      return receipts
    },
  ])
  // Every method was replaced by one of the same signature, which fromEntries cannot express.
  return Object.fromEntries(recorded) as P
}

/** The same client, asking `assertMayAct` before each call, too. */
export function guardCalls<P extends object>(client: P, assertMayAct: () => void): P {
  const guarded = Object.entries(client).map(([name, member]: [string, unknown]) => [
    name,
    typeof member === 'function'
      ? // Clients are plain objects of asynchronous methods, which the type of a generic client cannot say.
        async (...args: unknown[]) => {
          assertMayAct()
          return (await member(...args)) as unknown
        }
      : member,
  ])
  // Every method was replaced by one of the same signature, which fromEntries cannot express.
  return Object.fromEntries(guarded) as P
}
