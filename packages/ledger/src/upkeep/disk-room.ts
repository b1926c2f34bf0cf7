import { stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Space left on the ledger's disk. */
export interface DiskRoom {
  freeBytes: number
  /** `low`: space is running out. `full`: deliveries are refused before a write fails. */
  state: 'enough' | 'low' | 'full'
  /** Size of the ledger's write-ahead log, once it is larger than a checkpoint leaves it: a reader keeps it from being emptied. */
  largeLogBytes?: number
}

/** Reads the free space; `undefined` if unavailable. */
export type ReadDiskRoom = () => Promise<DiskRoom | undefined>

const mebibyte = 1024 * 1024
/** Room for the write-ahead log to grow until an operator reacts. */
const fullBelowBytes = 64 * mebibyte
/** Limit for large disks; for small ones a tenth, at least twice `fullBelowBytes`. */
const lowBelowBytes = 512 * mebibyte

/** `journal_size_limit` of the ledger: SQLite cuts a log that it has emptied to this size. */
export const usualLogBytes = 64 * mebibyte

/** The path of a ledger in a file. */
export function ledgerPathOf(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('file:') ? resolve(databaseUrl.slice('file:'.length)) : undefined
}

/** Reads free space beside a ledger, and the size of a log above `largeAbove`; `undefined` without a local disk, as on PostgreSQL. */
export function createReadDiskRoom(databaseUrl: string, largeAbove = usualLogBytes): ReadDiskRoom | undefined {
  const path = ledgerPathOf(databaseUrl)
  if (path === undefined) return undefined
  return async () => {
    const room = await readDiskRoom(dirname(path))
    const size = await stat(`${path}-wal`).then(
      (log) => log.size,
      () => 0,
    )
    return room && size > largeAbove ? { ...room, largeLogBytes: size } : room
  }
}

/** Free space on the disk of a folder. */
export async function readDiskRoom(folder: string): Promise<DiskRoom | undefined> {
  // Without a reading, a failing commit will show it.
  const disk = await statfs(folder).catch(() => undefined)
  return disk === undefined || disk.blocks === 0
    ? undefined
    : judgeRoom({ freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize })
}

/** Judges the free space. */
export function judgeRoom({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): DiskRoom {
  const low = Math.max(2 * fullBelowBytes, Math.min(lowBelowBytes, totalBytes / 10))
  return { freeBytes, state: freeBytes < fullBelowBytes ? 'full' : freeBytes < low ? 'low' : 'enough' }
}
