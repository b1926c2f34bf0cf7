import { readFile, stat } from 'node:fs/promises'
import type { LockHolder } from '../storage.ts'

/** The byte of the shared-memory file that SQLite's writers lock (sqlite.org/walformat.html, "WAL locks"). */
const writeLock = 120

/** The other process that holds the write lock of a file, as Linux reports it (proc_locks(5)): undetected on other systems and in other containers. */
export async function readOtherWriters(path: string): Promise<LockHolder[]> {
  try {
    const { ino } = await stat(`${path}-shm`)
    const lines = (await readFile('/proc/locks', 'utf8')).split('\n')
    const pids = lines.flatMap((line) => pidOf(line, ino) ?? [])
    return await Promise.all(pids.map(async (pid) => ({ pid, name: await readName(pid) })))
  } catch {
    return []
  }
}

/** Such as `3: POSIX  ADVISORY  WRITE 4711 fd:00:1234 120 120`; with `->` it waits for the lock. */
function pidOf(line: string, ino: number): number | undefined {
  const [, pid, inode, from, to] = /^\d+: POSIX +ADVISORY +WRITE +(\d+) \w+:\w+:(\d+) (\d+) (\d+)$/.exec(line) ?? []
  const isWriter = Number(inode) === ino && Number(from) <= writeLock && writeLock <= Number(to)
  return isWriter && Number(pid) !== process.pid ? Number(pid) : undefined
}

async function readName(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()
}
