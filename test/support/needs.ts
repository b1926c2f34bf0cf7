import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

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
  const line = `${program} is not installed: the tests that need it are skipped (install the system package ${name})`
  if (process.env.CI === 'true') throw new Error(line)
  process.stderr.write(`${line}\n`)
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
