import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** The gateway, one process after another. */
export interface GatewayProcess {
  /** Ends the one that runs, if any, and starts the next; while that is under way, another call adds nothing. */
  restart(this: void): Promise<void>
  /** Ends it for good. */
  close(this: void): Promise<void>
}

interface GatewayDeps {
  /** The checkout. */
  root: string
  /** All of its environment; read at each start. */
  readEnvironment: () => Record<string, string>
  /** One line of its log. */
  onLogLine: (line: string) => void
  /** What it prints beside its log, such as where a source cannot be read. */
  onErrorText: (text: string) => void
  /** It ended by itself, or could not start. */
  onEnd: (how: string) => void
}

/** A stop takes as long as SHUTDOWN_GRACE_MS and a little more; after that it does not end. */
const maxStopMs = 15_000

/** Makes the gateway, as it runs in production but from its sources; nothing runs before `restart`. */
export function createGatewayProcess({
  root,
  readEnvironment,
  onLogLine,
  onErrorText,
  onEnd,
}: GatewayDeps): GatewayProcess {
  let child: ChildProcess | undefined
  let turn: Promise<void> = Promise.resolve()
  let isWaiting = false
  let isClosed = false
  // Should this process end otherwise than by `close`, nothing of it stays behind.
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
    const begun = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', 'src/main.ts'], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = begun
    createInterface({ input: begun.stdout }).on('line', onLogLine)
    begun.stderr.setEncoding('utf8').on('data', onErrorText)
    // After all that it printed.
    begun.once('close', (code, signal) => {
      if (child !== begun) return
      child = undefined
      onEnd(`The gateway ended (${signal ?? `exit code ${code}`}).`)
    })
    begun.once('error', (error) => onErrorText(`${error.message}\n`))
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
