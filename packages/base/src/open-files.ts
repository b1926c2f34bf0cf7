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

/** Kept for the ledger, the queue and the systems. */
const reservedFiles = 128
/** The admin listener serves a few people, a scraper and a load balancer. */
export const adminConnections = 64

/** How many connections the public listener may have within a limit of open files, so that idle ones never take those that the rest of the process needs. */
export function connectionsWithin(limit: number): number {
  return Math.max(adminConnections, limit - reservedFiles - adminConnections)
}
