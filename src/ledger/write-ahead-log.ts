import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The file into which SQLite writes every commit first. */
export interface WriteAheadLog {
  /** Resolves once all that was committed until now is on the disk. After one failure it always rejects: nobody knows any more what the disk holds. */
  synced(): Promise<void>
  close(): Promise<void>
}

/** Opens the log of a database that is in use. Its fdatasync runs on Node's pool, while the next commits are made; with `synchronous=FULL` SQLite would run it at the end of each commit, and nothing could be done meanwhile. */
export async function openWriteAheadLog(databasePath: string): Promise<WriteAheadLog> {
  const file = await open(`${databasePath}-wal`, 'r+')
  await syncFolder(dirname(databasePath))
  let running = Promise.resolve()
  let next: Promise<void> | undefined

  async function sync(): Promise<void> {
    // The one that runs may have begun before the last commit.
    await running
    next = undefined
    running = file.datasync()
    await running
  }
  return {
    synced: () => (next ??= sync()),
    close: () => file.close(),
  }
}

/** That the file exists at all must survive, too. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
