import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

/** How much room is left on the disk that holds the ledger. */
export interface DiskRoom {
  freeBytes: number
  /** `low`: soon there is none. `full`: so little that deliveries are turned away before a write fails. */
  state: 'enough' | 'low' | 'full'
}

/** Asks the disk; `undefined` where it cannot be asked. */
export type ReadDiskRoom = () => Promise<DiskRoom | undefined>

const mebibyte = 1024 * 1024
/** Room for the write-ahead log to grow until somebody looks after the disk. */
const fullBelowBytes = 64 * mebibyte
/** Of a large disk; of a small one a tenth, and never less than twice what counts as full. */
const lowBelowBytes = 512 * mebibyte

/** Reads the room beside a ledger; `undefined` where that is not on a disk of this machine, as on PostgreSQL. */
export function createReadDiskRoom(databaseUrl: string): ReadDiskRoom | undefined {
  if (!databaseUrl.startsWith('file:')) return undefined
  const folder = dirname(databaseUrl.slice('file:'.length))
  return () => readDiskRoom(folder)
}

/** The room that is left on the disk of a folder. */
export async function readDiskRoom(folder: string): Promise<DiskRoom | undefined> {
  // Where the disk cannot be asked, or is none, the commit itself will say.
  const disk = await statfs(folder).catch(() => undefined)
  return disk === undefined || disk.blocks === 0
    ? undefined
    : judgeRoom({ freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize })
}

/** What so much room means. */
export function judgeRoom({ freeBytes, totalBytes }: { freeBytes: number; totalBytes: number }): DiskRoom {
  const low = Math.max(2 * fullBelowBytes, Math.min(lowBelowBytes, totalBytes / 10))
  return { freeBytes, state: freeBytes < fullBelowBytes ? 'full' : freeBytes < low ? 'low' : 'enough' }
}

/** What is wrong with the room and what to do; `undefined` where there is enough. */
export function describeRoom({ freeBytes, state }: DiskRoom): string | undefined {
  if (state === 'enough') return undefined
  const left = `${Math.floor(freeBytes / mebibyte)} MB are left on the ledger's disk`
  const what =
    state === 'full' ? 'deliveries are turned away' : `below ${fullBelowBytes / mebibyte} MB deliveries are turned away`
  return `${left}: ${what}. Make room there; never delete a file whose name begins with the ledger's.`
}
