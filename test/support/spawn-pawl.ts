import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { argumentsFor } from './run-script.ts'
import { until } from './until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A machine that is busy with other tests compiles and starts a process in many times the second that it takes alone. */
const startsWithinMs = 50_000

/** A pawl in a process of its own. */
export interface PawlProcess {
  child: ChildProcess
  /** All that it printed. */
  output(): string
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>
  /** Resolves once it receives and works; fails when it exits first. */
  ready(): Promise<void>
}

/** Starts `script` (default: pawl itself) with these settings and nothing else of this process's environment; `under` is a command that becomes the one after it, `folder` the tree that it runs in. */
export function spawnPawl(
  env: Record<string, string>,
  script = 'src/main.ts',
  under: readonly string[] = [],
  folder = root,
): PawlProcess {
  const how = argumentsFor(script, folder === root)
  const [command = process.execPath, ...args] = [...under, process.execPath, ...how]
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = once(child, 'exit').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null,
  )
  let isOver = false
  void exited.then(() => (isOver = true))
  return {
    child,
    output: () => output,
    exited,
    ready: async () => {
      const isRunning = () => {
        if (isOver) throw new Error(`it ended early:\n${output}`)
        return output.includes('"pawl is running"')
      }
      await until('pawl is running', isRunning, startsWithinMs).catch((error: unknown) => {
        throw new Error(`it is not running; so far it printed:\n${output}`, { cause: error })
      })
    },
  }
}

/** A port that was free a moment ago; below those that systems give to outgoing connections, so that none of these takes it before its server does. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (tries === 10) throw error
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}
