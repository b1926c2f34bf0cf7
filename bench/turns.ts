import type { Child } from './child.ts'
import { compare } from './compare.ts'
import type { ReceiverSpec } from './contenders.ts'
import { monotonicMs } from './monotonic.ts'
import type { Bench, Row } from './scenario.ts'
import type { Stage } from './stage.ts'

/** A contender that is up, on a database and servers of its own. */
export interface Running {
  spec: ReceiverSpec
  child: Child
  servers: readonly number[]
  stop(): Promise<void>
}

/** Starts a contender with nothing stored. */
export async function startContender(
  stage: Stage,
  spec: ReceiverSpec,
  env: Record<string, string> = {},
): Promise<Running> {
  const prepared = await spec.prepare(stage)
  const child = await stage.start(spec.script, { ...prepared.env, ...env })
  return {
    spec,
    child,
    servers: prepared.servers,
    async stop() {
      await child.stop()
      await prepared.dispose()
    },
  }
}

export interface Turns {
  turns: number
  /** No turn begins so many milliseconds after the start of the contenders. */
  longestMs?: number
}

const warmUps = 6

/** Measures one slice; slices of one turn have the same number, from 0, and are the same work. */
export type Slice = (running: Running, turn: number) => Promise<Record<string, number>>

/** Lets contenders take turns: all are up at once and each works for some seconds while the others rest, so that another load of the machine meets all alike. The first turns warm up, until the code is compiled. */
export async function takeTurns(
  bench: Bench,
  specs: readonly ReceiverSpec[],
  { env, turns, longestMs = Infinity, slice }: Turns & { env?: Record<string, string>; slice: Slice },
): Promise<Row[]> {
  const startedAt = monotonicMs()
  const all: Running[] = []
  try {
    for (const spec of await bench.select(specs)) all.push(await startContender(bench.stage, spec, env))
    let warmedUp = 0
    do {
      for (const running of all) await slice(running, warmedUp)
      warmedUp += 1
    } while (warmedUp < bench.pick(warmUps, 1) && monotonicMs() < startedAt + longestMs / 4)
    const contenders = all.map((running) => {
      let turn = warmedUp
      return { name: running.spec.name, measure: () => slice(running, turn++) }
    })
    return await compare(contenders, {
      rounds: turns,
      say: bench.say,
      longestMs: longestMs - monotonicMs() + startedAt,
    })
  } finally {
    for (const running of all) await running.stop()
  }
}
