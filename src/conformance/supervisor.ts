import { setTimeout as sleep } from 'node:timers/promises'
import type { HandlerFacts } from './orders.ts'
import type { PawlHost, PawlProcess } from './pawl-host.ts'

/** How one start of pawl ended. */
export interface Stop {
  generation: number
  how: 'stopped' | 'killed'
  /** Absent where it did not come back, or was killed. */
  tookMs: number | undefined
  /** Of the monotonic clock: from here on it must send nothing. */
  at: number
}

/** Starts pawl in processes, one after the other, and ends them. */
export interface Supervisor {
  /** Begins the first start, or the next one in another process. */
  start(this: void): Promise<void>
  /** Ends this start of pawl, and its process. */
  end(this: void, how: Stop['how']): Promise<void>
  /** Ends the last start; a process that was never stopped before is kept for the next list. */
  finish(this: void): Promise<void>
  /** Starts it again where it ended by itself, a few times. */
  reviveIfEnded(this: void): Promise<void>
  setClock(this: void, offsetMs: number): Promise<void>
  /** Whatever became of it. */
  kill(this: void): Promise<void>
  /** All that it printed, its log included. */
  printed(this: void): string
  readonly addresses: { url: string; adminUrl: string }
  /** Of the integration. */
  readonly handlers: readonly HandlerFacts[]
  readonly stops: readonly Stop[]
  /** How often it ended by itself. */
  readonly crashes: number
}

/** The grace of a stop, in milliseconds. */
export const graceMs = 300
/** A stop that takes longer does not end. */
const maxStopMs = graceMs + 8_000
/** For so long a start of pawl that has stopped is watched for what it still sends. */
const watchMs = 800
const maxCrashes = 3

/** Makes the supervisor. `settingsFor` a start, which is counted from 1; `onStart` is told where it takes webhooks. */
export function createSupervisor(deps: {
  host: PawlHost
  settingsFor: (generation: number) => Record<string, string>
  onStart: (url: string) => void
}): Supervisor {
  const { host, settingsFor, onStart } = deps
  const stops: Stop[] = []
  const leaving: Promise<void>[] = []
  let handlers: readonly HandlerFacts[] = []
  let addresses = { url: '', adminUrl: '' }
  let pawl: PawlProcess | undefined
  let printed = ''
  let generation = 0
  let crashes = 0
  let offsetMs = 0

  async function start(): Promise<void> {
    generation += 1
    pawl = await host.take()
    handlers = pawl.handlers
    // What it printed before is of another list.
    pawl.takePrinted()
    await pawl.setClock(offsetMs)
    addresses = await pawl.start(settingsFor(generation))
    onStart(addresses.url)
  }

  /** SIGTERM, as far as pawl can tell. */
  async function stop(ending: PawlProcess): Promise<number | undefined> {
    const tookMs = await ending.stop(maxStopMs)
    stops.push({ generation, how: 'stopped', tookMs, at: performance.now() })
    return tookMs
  }

  async function leave(ending: PawlProcess, afterMs: number): Promise<void> {
    await sleep(afterMs)
    printed += ending.takePrinted()
    await ending.kill()
  }

  async function end(how: Stop['how']): Promise<void> {
    const ending = pawl
    pawl = undefined
    if (ending === undefined) return
    if (how === 'stopped' && ending.isAlive) {
      const tookMs = await stop(ending)
      leaving.push(leave(ending, tookMs === undefined ? 0 : watchMs))
      return
    }
    await ending.kill()
    stops.push({ generation, how: 'killed', tookMs: undefined, at: performance.now() })
    printed += ending.takePrinted()
  }

  return {
    start,
    end,
    async finish() {
      const last = pawl
      if (last?.isAlive === true && stops.length === 0) {
        pawl = undefined
        const tookMs = await stop(last)
        printed += last.takePrinted()
        if (tookMs === undefined) await last.kill()
        else host.giveBack(last)
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
      printed += pawl?.takePrinted() ?? ''
      return printed
    },
    get addresses() {
      return addresses
    },
    get handlers() {
      return handlers
    },
    stops,
    get crashes() {
      return crashes
    },
  }
}
