import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type FollowedProcess, followProcess } from './follow-process.ts'
import { argumentsFor } from './run-script.ts'
import { freePort } from './spawn-pawl.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** `npm run dev` in a process of its own, on free ports. */
export interface DevProcess extends FollowedProcess {
  /** By the names of their flags, such as `--fhir-port`. */
  ports: ReadonlyMap<string, number>
}

/** Ports that are free, by the flags of `npm run dev`. */
export async function freeDevPorts(): Promise<Map<string, number>> {
  const ports = new Map<string, number>()
  for (const flag of ['--port', '--admin-port', '--sandbox-port', '--fhir-port', '--pharmacy-port'])
    ports.set(flag, await freePort())
  return ports
}

/** Starts it in a tree of the project; `script` is what Node runs, by default that tree's own. */
export function spawnDev(
  folder: string,
  ports: ReadonlyMap<string, number>,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  script = argumentsFor('packages/dev/src/dev.ts', folder === root ? undefined : folder),
): DevProcess {
  const flags = [...ports].flatMap(([flag, port]) => [flag, String(port)])
  const child = spawn(process.execPath, [...script, ...flags, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { ...followProcess(child, 'close', 120_000), ports }
}
