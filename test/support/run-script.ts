import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** Names the folder that build-once.ts filled; empty: it shall fill none. */
export const buildVariable = 'PAWL_TEST_BUILD'

/** Arguments of Node.js for a script of the checkout, or of a fork: from the build where there is one and the script is in it, otherwise as TypeScript. */
export function argumentsFor(script: string, fork?: string): string[] {
  const build = fork ?? process.env[buildVariable] ?? ''
  const built = join(build, 'dist', script.replace(/\.ts$/, '.js'))
  if (build === '' || !existsSync(built)) return ['--conditions=source', '--import', 'tsx', script]
  return [built]
}

/** Output and end of a process. */
export interface Ran {
  code: number | null
  out: string
  err: string
  /** Both. */
  output: string
}

/** Runs a script in a process of its own to its end, with these settings and nothing else of this process's environment. */
export async function runScript(
  script: string,
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<Ran> {
  const child = spawn(process.execPath, [...argumentsFor(script), ...args], { env: { PATH: process.env.PATH, ...env } })
  child.stdin.end(input)
  const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, out, err, output: out + err }
}

/** Runs a command of `pawl` likewise. */
export const runPawl = (args: readonly string[], env?: Record<string, string>, input?: string) =>
  runScript('src/cli/pawl.ts', args, env, input)
