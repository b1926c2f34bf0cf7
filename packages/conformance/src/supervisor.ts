import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadedHandler, Route } from './orders.ts'
import type { PawlHost, PawlProcess } from './pawl-host.ts'
import type { Trace } from '@pawl/testing/lines/run-mark'
import type { Life } from './saved-run.ts'

/** How one start of pawl ended. */
export interface Stop {
  generation: number
  how: 'stopped' | 'killed'
  /** Absent if it was killed or did not stop. */
  tookMs: number | undefined
  /** Monotonic clock, milliseconds; it must send nothing later. */
  at: number
  /** Timers, connections and files left behind. */
  left: readonly string[]
}

/** Trace of a handler in one start of pawl. */
export type TraceOfStart = Trace & { generation: number }

/** Starts and ends pawl in successive processes. */
export interface Supervisor {
  /** Starts pawl, each time in another process. */
  start(this: void): Promise<void>
  /** Ends the current start and its process. */
  end(this: void, how: Stop['how']): Promise<void>
  /** Ends the last start. The first process, which ran `life`, is returned for the next list. */
  finish(this: void, life: Life): Promise<void>
  /** The lists that the process of the first start ran before. */
  readonly before: readonly Life[]
  /** Restarts pawl after an unexpected exit, up to a few times. */
  reviveIfEnded(this: void): Promise<void>
  setClock(this: void, offsetMs: number): Promise<void>
  /** Kills the current process in any state. */
  kill(this: void): Promise<void>
  /** The whole output, including the log. */
  printed(this: void): string
  /** Traces of every handler run. */
  traces(this: void): readonly TraceOfStart[]
  readonly addresses: { url: string; adminUrl: string }
  /** The integration's handlers. */
  readonly handlers: readonly LoadedHandler[]
  readonly stops: readonly Stop[]
  /** Number of unexpected exits. */
  readonly crashes: number
}

/** Grace of a stop, milliseconds. */
export const graceMs = 300
/** Timeout of a stop. */
const maxStopMs = graceMs + 8_000
/** How long a stopped process is still watched for late requests. */
const watchMs = 800
const maxCrashes = 3
/** How many earlier lists of a failing process are kept. */
const maxLives = 3

/** `settingsFor` gets the number of the start, from 1; `onStart` gets the public listener's URL. */
export function createSupervisor(deps: {
  host: PawlHost
  settingsFor: (generation: number) => Record<string, string>
  routeFor: (generation: number) => Route
  onStart: (url: string) => void
}): Supervisor {
  const { host, settingsFor, routeFor, onStart } = deps
  const stops: Stop[] = []
  const leaving: Promise<void>[] = []
  let handlers: readonly LoadedHandler[] = []
  let addresses = { url: '', adminUrl: '' }
  let pawl: PawlProcess | undefined
  let printed = ''
  const traces: TraceOfStart[] = []
  let generation = 0
  let before: readonly Life[] = []
  let crashes = 0
  let offsetMs = 0

  async function start(): Promise<void> {
    generation += 1
    pawl = await host.take()
    handlers = pawl.handlers
    if (generation === 1) before = pawl.lives.slice(-maxLives)
    // Drop output of an earlier list.
    pawl.takePrinted()
    pawl.takeTraces()
    await pawl.setClock(offsetMs)
    addresses = await pawl.start(settingsFor(generation), routeFor(generation))
    onStart(addresses.url)
  }

  /** pawl sees a SIGTERM. */
  async function stop(ending: PawlProcess): Promise<number | undefined> {
    const { tookMs, left = [] } = (await ending.stop(maxStopMs)) ?? {}
    stops.push({ generation, how: 'stopped', tookMs, at: performance.now(), left })
    return tookMs
  }

  /** Keeps the process's output. */
  function record(said: PawlProcess, of = generation): void {
    printed += said.takePrinted()
    traces.push(...said.takeTraces().map((trace) => ({ ...trace, generation: of })))
  }

  async function leave(ending: PawlProcess, of: number, afterMs: number): Promise<void> {
    await sleep(afterMs)
    record(ending, of)
    await ending.kill()
  }

  async function end(how: Stop['how']): Promise<void> {
    const ending = pawl
    pawl = undefined
    if (ending === undefined) return
    if (how === 'stopped' && ending.isAlive) {
      const tookMs = await stop(ending)
      leaving.push(leave(ending, generation, tookMs === undefined ? 0 : watchMs))
      return
    }
    await ending.kill()
    stops.push({ generation, how: 'killed', tookMs: undefined, at: performance.now(), left: [] })
    record(ending)
  }

  return {
    start,
    end,
    async finish(life) {
      const last = pawl
      if (last?.isAlive === true && stops.length === 0) {
        pawl = undefined
        const tookMs = await stop(last)
        record(last)
        if (tookMs === undefined) await last.kill()
        else {
          last.lives.push(life)
          host.giveBack(last)
        }
      } else await end('stopped')
      await Promise.all(leaving)
    },
    async reviveIfEnded() {
      if (pawl?.isAlive !== false || crashes >= maxCrashes) return
      crashes += 1
      await end('killed')
      await start()
    },
    async setClock(newOffsetMs) {
      offsetMs = newOffsetMs
      await pawl?.setClock(offsetMs)
    },
    async kill() {
      await pawl?.kill()
      await Promise.all(leaving)
    },
    printed() {
      if (pawl !== undefined) record(pawl)
      return printed
    },
    traces() {
      if (pawl !== undefined) record(pawl)
      return traces
    },
    get addresses() {
      return addresses
    },
    get handlers() {
      return handlers
    },
    stops,
    get before() {
      return before
    },
    get crashes() {
      return crashes
    },
  }
}
