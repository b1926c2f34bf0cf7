import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { ConfigInvalid } from '@pawl/base/errors'
import { foreignVariables } from '@pawl/testing/services/foreign-variables'
import { type LoadedHandler, type Order, Report, type Route } from './orders.ts'
import type { Trace } from '@pawl/testing/lines/run-mark'
import type { Life } from './saved-run.ts'

/** A process that runs pawl with the integration. */
export interface PawlProcess {
  /** The integration's handlers. */
  readonly handlers: readonly LoadedHandler[]
  /** Loads another integration while pawl does not run. */
  load(this: void, integrationUrl: string): Promise<void>
  /** The lists it has run, oldest first. */
  lives: Life[]
  /** Starts pawl; resolves with its addresses. */
  start(this: void, env: Record<string, string>, route: Route): Promise<{ url: string; adminUrl: string }>
  /** Stops pawl as SIGTERM does but keeps the process alive. Resolves with the duration in milliseconds and any leftovers, or undefined if pawl did not stop. */
  stop(this: void, withinMs: number): Promise<{ tookMs: number; left: string[] } | undefined>
  setClock(this: void, offsetMs: number): Promise<void>
  /** Sends SIGKILL. */
  kill(this: void): Promise<void>
  /** Handler traces since the last call. */
  takeTraces(this: void): Trace[]
  /** Output since the last call, including the log. */
  takePrinted(this: void): string
  readonly isAlive: boolean
}

/** Processes for pawl. */
export interface PawlHost {
  /** Takes a process in which pawl does not run yet. */
  take(this: void): Promise<PawlProcess>
  /** Returns a process for reuse. */
  giveBack(this: void, pawl: PawlProcess): void
  /** The integration's handlers. */
  handlers(this: void): Promise<readonly LoadedHandler[]>
  /** Another host of the same integration, with new processes. */
  another(this: void): PawlHost
  close(this: void): Promise<void>
}

export interface HostOptions {
  /** The module with the integration. */
  integrationUrl: string
  /** Variables passed on to it, without pawl's own settings. */
  environment: Readonly<Record<string, string | undefined>>
  /** Bundle of pawl-process.ts; it starts too quickly for a preloaded process to gain anything. Default: the source. */
  bundle?: string
  /** Idle processes of closed hosts with the same environment and bundle: taken before one is started, and filled when this host closes. */
  idle?: PawlProcess[]
}

/** Starts processes as they are needed, and one in advance where they start slowly. */
export function createPawlHost(options: HostOptions): PawlHost {
  const { idle: shared, ...fresh } = options
  const running = new Set<PawlProcess>()
  let spare: Promise<PawlProcess> | undefined
  const idle: PawlProcess[] = []

  async function begin(): Promise<PawlProcess> {
    const pawl = shared?.pop() ?? spawnPawl(options)
    running.add(pawl)
    pawl.lives.length = 0
    await pawl.load(options.integrationUrl)
    return pawl
  }

  async function take(): Promise<PawlProcess> {
    const kept = idle.pop()
    if (kept?.isAlive === true) return kept
    const next = spare ?? begin()
    if (options.bundle !== undefined) return next
    // Preloaded, since a kill may come at any time.
    spare = begin()
    spare.catch(() => undefined)
    return next
  }

  return {
    take,
    giveBack: (pawl) => void idle.push(pawl),
    async handlers() {
      const pawl = await take()
      idle.push(pawl)
      return pawl.handlers
    },
    another: () => createPawlHost(fresh),
    async close() {
      await spare?.catch(() => undefined)
      const kept = shared === undefined ? [] : idle.filter(({ isAlive }) => isAlive)
      shared?.push(...kept)
      await Promise.all([...running].filter((pawl) => !kept.includes(pawl)).map((pawl) => pawl.kill()))
    },
  }
}

/** As this file runs: from its source, or as it was compiled. */
const isSource = import.meta.url.endsWith('.ts')
const own = fileURLToPath(new URL(isSource ? 'pawl-process.ts' : 'pawl-process.js', import.meta.url))

function spawnPawl({ environment, bundle }: HostOptions): PawlProcess {
  const script = [
    ...(bundle === undefined && isSource ? ['--conditions=source', '--import', 'tsx'] : []),
    bundle ?? own,
  ]
  const child = spawn(process.execPath, ['--expose-gc', '--enable-source-maps', ...script], {
    env: foreignVariables(environment),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (printed += text))
  let traces: Trace[] = []
  const reports = new EventEmitter()
  child.on('message', (message) => {
    const said = Report.parse(message)
    if (said.report === 'trace') traces.push(said.trace)
    else reports.emit('report', said)
  })
  let isAlive = true
  const exited = once(child, 'exit').then(() => (isAlive = false))
  let loaded: Extract<Report, { report: 'loaded' }> | undefined
  const tell = (order: Order) => void (child.connected && child.send(order))
  return {
    get handlers() {
      return loaded?.handlers ?? []
    },
    async load(integrationUrl) {
      const answer = nextReport(reports, exited)
      tell({ order: 'load', integrationUrl })
      const said = await answer
      if (said?.report !== 'loaded') throw new ConfigInvalid(`The integration could not be loaded:\n${printed}`)
      loaded = said
    },
    lives: [],
    async start(env, route) {
      const answer = nextReport(reports, exited)
      const given = (loaded?.settings ?? []).flatMap((name) =>
        environment[name] === undefined ? [] : [[name, environment[name]]],
      )
      tell({ order: 'start', env: { ...Object.fromEntries(given), ...env }, route })
      const started = await answer
      if (started?.report === 'started') return started
      throw new ConfigInvalid(
        `pawl could not start with this integration: ${started?.report === 'failed' ? started.message : printed}`,
      )
    },
    async stop(withinMs) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), withinMs)
      const answer = nextReport(reports, exited, late.signal)
      tell({ order: 'stop' })
      const stopped = await answer.finally(() => clearTimeout(timer))
      return stopped?.report === 'stopped' ? stopped : undefined
    },
    async setClock(offsetMs) {
      const answer = nextReport(reports, exited)
      tell({ order: 'set_clock', offsetMs })
      await answer
    },
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
    takeTraces() {
      const taken = traces
      traces = []
      return taken
    },
    takePrinted() {
      const taken = printed
      printed = ''
      return taken
    },
    get isAlive() {
      return isAlive
    },
  }
}

/** Undefined if the process ends or the signal aborts first. */
async function nextReport(
  reports: EventEmitter,
  exited: Promise<unknown>,
  signal = new AbortController().signal,
): Promise<Report | undefined> {
  try {
    // The process emits only reports.
    const heard = once(reports, 'report', { signal }).then(([report]) => report as Report)
    return await Promise.race([heard, exited.then(() => undefined)])
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}
