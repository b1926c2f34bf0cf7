import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './spawn-pawl.ts'
import { until } from './until.ts'

/** `npm run dev` in a process of its own, on free ports. */
export interface DevProcess {
  child: ChildProcess
  /** All that it printed. */
  output(): string
  /** By the names of their flags, such as `--fhir-port`. */
  ports: ReadonlyMap<string, number>
  /** Resolves once it printed this; fails when it ends first. `after` is how much of the output is old. */
  prints(what: string | RegExp, after?: number): Promise<void>
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals | null>
}

/** Ports that are free, by the flags of `npm run dev`. */
export async function freeDevPorts(): Promise<Map<string, number>> {
  const ports = new Map<string, number>()
  for (const flag of ['--port', '--admin-port', '--sandbox-port', '--fhir-port', '--pharmacy-port'])
    ports.set(flag, await freePort())
  return ports
}

/** Starts it in a tree of the project; `under` is what stands before the script, by default node itself. */
export function spawnDev(
  folder: string,
  ports: ReadonlyMap<string, number>,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): DevProcess {
  const flags = [...ports].flatMap(([flag, port]) => [flag, String(port)])
  const script = join(folder, 'src/cli/dev.ts')
  const child = spawn(process.execPath, ['--conditions=source', '--import', 'tsx', script, ...flags, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const exited = once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null,
  )
  let isOver = false
  void exited.then(() => (isOver = true))
  return {
    child,
    output: () => output,
    ports,
    exited,
    async prints(what, after = 0) {
      const isThere = () => {
        const text = output.slice(after)
        if (typeof what === 'string' ? text.includes(what) : what.test(text)) return true
        if (isOver) throw new Error(`it ended early:\n${output}`)
        return false
      }
      await until(`it prints ${what}`, isThere, 120_000).catch((error: unknown) => {
        throw new Error(`so far it printed:\n${output}`, { cause: error })
      })
    },
  }
}
