import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type FollowedProcess, followProcess } from './follow-process.ts'
import { argumentsFor } from './run-script.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A machine that is busy with other tests compiles and starts a process in many times the second that it takes alone. */
const startsWithinMs = 50_000

/** A pawl in a process of its own. */
export interface PawlProcess extends FollowedProcess {
  /** Resolves once it receives and works; fails when it exits first. */
  ready(): Promise<void>
}

export interface SpawnOptions {
  /** Default: pawl itself. */
  script?: string
  /** A command that becomes the one after it. */
  under?: readonly string[]
  /** A fork. Default: the checkout. */
  tree?: string
}

/** Starts a process with these settings and nothing else of this process's environment. */
export function spawnPawl(
  env: Record<string, string>,
  { script = 'src/main.ts', under = [], tree }: SpawnOptions = {},
): PawlProcess {
  const how = argumentsFor(script, tree)
  const [command = process.execPath, ...args] = [...under, process.execPath, ...how]
  const child = spawn(command, args, {
    cwd: tree ?? root,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const followed = followProcess(child, 'exit', startsWithinMs)
  return { ...followed, ready: async () => followed.prints('"pawl is running"') }
}

/** So many ports belong to each of the test workers that may run at once. */
const portsOfWorker = 2_000
let lastPort = Math.floor(Math.random() * portsOfWorker)

/** A port for a server to try: below the ephemeral ports and in the range of this test worker, so that it stays free until its server starts and while that is down. */
export function nextPort(): number {
  lastPort = (lastPort + 1) % portsOfWorker
  return 20_000 + (Number(process.env.VITEST_POOL_ID ?? 0) % 6) * portsOfWorker + lastPort
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = nextPort()
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
