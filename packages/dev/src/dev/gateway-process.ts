import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { isCrash } from './describe-crash.ts'
import type { Sources } from './dev-sources.ts'

/** The gateway's process, replaced at each restart. */
export interface GatewayProcess {
  /** Stops the running process, if any, and starts the next; calls during a restart are ignored. */
  restart(this: void): Promise<void>
  /** Stops the process and starts no other. */
  close(this: void): Promise<void>
}

interface GatewayDeps {
  sources: Sources
  /** Its whole environment; read at each start. */
  readEnvironment: () => Record<string, string>
  /** One line of its log. */
  onLogLine: (line: string) => void
  /** A line of its output outside the log. */
  onErrorLine: (line: string) => void
  /** Node's report of the uncaught error that ended it; before `onEnd`. */
  onCrash: (report: readonly string[]) => void
  /** Its sources are loaded: it printed its first log line. */
  onLoaded?: () => void
  /** Called if it exited by itself or could not start. */
  onEnd: (how: string) => void
}

/** A stop takes SHUTDOWN_GRACE_MS and a little more; a process still alive after that is stuck. */
const maxStopMs = 15_000

/** Makes the gateway as in production, but from its sources. The first `restart` starts it. */
export function createGatewayProcess({
  sources,
  readEnvironment,
  onLogLine,
  onErrorLine,
  onCrash,
  onLoaded,
  onEnd,
}: GatewayDeps): GatewayProcess {
  let child: ChildProcess | undefined
  let turn: Promise<void> = Promise.resolve()
  let isWaiting = false
  let isClosed = false
  // If this process exits without `close`, the gateway must not survive it.
  process.once('exit', () => child?.kill('SIGKILL'))

  function begin(): void {
    if (isClosed) return
    let env: Record<string, string>
    try {
      env = readEnvironment()
    } catch (error) {
      onEnd(error instanceof Error ? error.message : 'unknown')
      return
    }
    const begun = spawn(process.execPath, [...sources.gateway], {
      cwd: sources.root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = begun
    createInterface({ input: begun.stdout })
      .on('line', onLogLine)
      .once('line', () => {
        if (child === begun) onLoaded?.()
      })
    const report: string[] = []
    createInterface({ input: begun.stderr }).on('line', (line) => {
      if (report.length > 0 || isCrash(line)) report.push(line)
      else if (line !== '') onErrorLine(line)
    })
    // After all of its output.
    begun.once('close', (code, signal) => {
      if (child !== begun) return
      child = undefined
      if (report.length > 0) onCrash(report)
      onEnd(`The gateway exited (${signal ?? `exit code ${code}`}).`)
    })
    begun.once('error', (error) => onErrorLine(error.message))
  }

  async function end(): Promise<void> {
    const ending = child
    child = undefined
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = once(ending, 'exit')
    ending.kill('SIGTERM')
    const patience = setTimeout(() => ending.kill('SIGKILL'), maxStopMs)
    await exited
    clearTimeout(patience)
  }

  return {
    restart() {
      if (isWaiting) return turn
      isWaiting = true
      turn = turn.then(async () => {
        await end()
        isWaiting = false
        begin()
      })
      return turn
    },
    close() {
      isClosed = true
      turn = turn.then(end)
      return turn
    },
  }
}
