import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The path of a program that a system package brings. Where it is missing: in CI an error, since there every test must run; elsewhere `undefined`, after one
 * line that says what is skipped. Hand the answer to `describe.skipIf`.
 */
export function needs(
  program: string,
  { package: name = program, folders = [] }: { package?: string; folders?: readonly string[] } = {},
): string | undefined {
  const searched = [...(process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...folders]
  const found = searched.map((folder) => join(folder, program)).find(isExecutable)
  if (found !== undefined) return found
  saySkipped(`${program} is not installed: the tests that need it are skipped (install the system package ${name})`)
  return undefined
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A folder whose libraries are no part of `npm ci`. */
export type Beside = 'bench' | 'test/foreign' | 'tools'

/** Whether those of a folder are installed; where they are not, the same as for a program. */
export function isInstalled(folder: Beside): boolean {
  if (existsSync(join(root, folder, 'node_modules/.installed-lock.json'))) return true
  saySkipped(`${folder} is not installed: the tests that need it are skipped (npm run beside ${folder})`)
  return false
}

/** Says in one line which tests are skipped, and why; in CI throws it. */
export function saySkipped(line: string): void {
  if (process.env.CI === 'true') throw new Error(line)
  process.stderr.write(`${line}\n`)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
