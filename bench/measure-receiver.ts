import type { Child } from './child.ts'
import type { Prepared, ReceiverSpec } from './contenders.ts'
import { type LoadResult, sendAll } from './load.ts'
import type { Stage } from './stage.ts'

/** How many deliveries are under way at once. */
export const connections = 64

export interface Load {
  /** All different; the first of them warm the server up. */
  requests: readonly Buffer[]
  warmUp: number
  /** A slow contender is measured for so long and no longer, in milliseconds. */
  longestMs: number
}

/** Starts a receiver with nothing stored, warms it up and measures what it acknowledges. */
export async function measureReceiver(stage: Stage, spec: ReceiverSpec, load: Load): Promise<Record<string, number>> {
  const prepared = await spec.prepare(stage)
  try {
    return await measureStarted(stage, spec, prepared, load)
  } finally {
    await prepared.dispose()
  }
}

async function measureStarted(stage: Stage, spec: ReceiverSpec, { env }: Prepared, load: Load) {
  const child = await stage.start(spec.script, env)
  try {
    const { rate, clientLoad, cpuMicros } = await acknowledge(child, load)
    return { rate, clientLoad: clientLoad * 100, cpuMicros }
  } finally {
    await child.stop()
  }
}

/** Measures a receiver that runs; `cpuMicros` is what one delivery costs all threads of its process. */
export async function acknowledge(child: Child, load: Load): Promise<LoadResult & { cpuMicros: number }> {
  check(await sendAll(child.port, load.requests.slice(0, load.warmUp), connections))
  const before = await child.ask('usage')
  const result = check(
    await sendAll(child.port, load.requests.slice(load.warmUp), connections, { longestMs: load.longestMs }),
  )
  const after = await child.ask('usage')
  return { ...result, cpuMicros: ((after.cpuMs - before.cpuMs) * 1_000) / countOf(result) }
}

/** A figure counts only if every answer was 2xx. */
export function check(result: LoadResult): LoadResult {
  for (const [status, times] of result.statuses)
    if (status < 200 || status > 299) throw new Error(`${times} answers had status ${status}: this measures nothing.`)
  return result
}

function countOf({ statuses }: LoadResult): number {
  return [...statuses.values()].reduce((sum, times) => sum + times, 0)
}
