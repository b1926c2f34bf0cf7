import { readFileSync } from 'node:fs'

/** Max open files and connections of this process (`ulimit -n`), as raised by Node; undefined if the system does not report it. */
export function readOpenFilesLimit(): number | undefined {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? undefined : Number(limit)
  } catch {
    return undefined
  }
}

/** The limit in words, for the log and for warnings. */
export function sayOpenFiles(limit: number): string {
  return `this process may have ${limit} files and connections open (ulimit -n)`
}

/** Files reserved for the ledger, the queue and the systems. */
const reservedFiles = 128
const minConnections = 64

/** Max connections of each listener within a limit of open files. Idle connections then starve neither the other listener nor the rest of the process. */
export function shareOpenFiles(limit: number): { deliveries: number; admin: number } {
  const admin = Math.max(minConnections, Math.floor(limit / 8))
  return { admin, deliveries: Math.max(minConnections, limit - reservedFiles - admin) }
}
