import { readFileSync } from 'node:fs'

/** How many files and connections this process may have open (`ulimit -n`), as Node has raised it; undefined where the system does not tell. */
export function readOpenFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}
