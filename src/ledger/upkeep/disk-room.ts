import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** Space left on the ledger's disk. */
export interface DiskRoom {
  freeBytes: number
  /** `low`: space is running out. `full`: deliveries are refused before a write fails. */
  state: 'enough' | 'low' | 'full'
}

/** Reads the free space; `undefined` if unavailable. */
export type ReadDiskRoom = () => Promise<DiskRoom | undefined>

const mebibyte = 1024 * 1024
/** Room for the write-ahead log to grow until an operator reacts. */
const fullBelowBytes = 64 * mebibyte
/** Limit for large disks; for small ones a tenth, at least twice `fullBelowBytes`. */
const lowBelowBytes = 512 * mebibyte

/** The path of a ledger in a file. */
export function ledgerPathOf(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('file:') ? resolve(databaseUrl.slice('file:'.length)) : undefined
}

/** Reads free space beside a ledger; `undefined` without a local disk, as on PostgreSQL. */
export function createReadDiskRoom(databaseUrl: string): ReadDiskRoom | undefined {
  const path = ledgerPathOf(databaseUrl)
  return path === undefined ? undefined : () => readDiskRoom(dirname(path))
}

/** Free space on the disk of a folder. */
export async function readDiskRoom(folder: string): Promise<DiskRoom | undefined> {
  // Without a reading, a failing commit will tell.
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

/** Says what is wrong and what to do; `undefined` if there is enough space. */
export function describeRoom({ freeBytes, state }: DiskRoom): string | undefined {
  if (state === 'enough') return undefined
  const left = `${Math.floor(freeBytes / mebibyte)} MB are left on the ledger's disk`
  const what =
    state === 'full' ? 'deliveries are turned away' : `below ${fullBelowBytes / mebibyte} MB deliveries are turned away`
  return `${left}: ${what}. Make room there; never delete a file whose name begins with the ledger's.`
}
