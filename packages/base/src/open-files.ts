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

/** The limit, for the log and for warnings. */
export function sayOpenFiles(limit: number): string {
  return `this process may have ${limit} files and connections open (ulimit -n)`
}

/** Kept for the ledger, the queue and the systems. */
const reservedFiles = 128
const minConnections = 64

/** How many connections each listener may have within a limit of open files, so that idle ones never take those that the rest of the process needs, nor those of the other listener. */
export function shareOpenFiles(limit: number): { deliveries: number; admin: number } {
  const admin = Math.max(minConnections, Math.floor(limit / 8))
  return { admin, deliveries: Math.max(minConnections, limit - reservedFiles - admin) }
}
