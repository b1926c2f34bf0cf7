import type Database from 'better-sqlite3'
import { loadSqlite } from '@pawl/base/load-sqlite'

/** Kinds of entry that outlive the process. */
export type EntryKind = 'setting' | 'organization' | 'record' | 'due' | 'delivery' | 'failure'

/** Stores JSON values by kind and id, so that a sandbox can resume where it stopped. */
export interface Archive {
  /** Serialises `value` only on write: at the end of this event loop turn, or at `flush`. */
  put(kind: EntryKind, id: string, value: unknown): void
  remove(kind: EntryKind, id: string): void
  /** All values of the kind, in order of first put. */
  list(kind: EntryKind): { id: string; value: unknown }[]
  /** Writes all changes since the last flush in one transaction. Throws if the disk refuses. */
  flush(): void
  /** Flushes and closes the file; later puts are ignored. */
  close(): void
}

/** Stores nothing. */
export const noArchive: Archive = { put: () => {}, remove: () => {}, list: () => [], flush: () => {}, close: () => {} }

interface Change {
  kind: EntryKind
  id: string
  value: unknown
}

/**
 * Opens an archive in an SQLite file, created if missing, and locks it against other processes until `close`. `stamp` is a setting
 * written with every flush. Flushed changes survive a crash of the process; a power cut may lose the last ones. Throws if the file
 * is in use or is not an archive.
 */
export function openArchive(file: string, deps: { stamp: () => [id: string, value: unknown] }): Archive {
  const Sqlite = loadSqlite()
  const database = new Sqlite(file, { timeout: 0 })
  try {
    prepareFile(database)
  } catch (error) {
    database.close()
    throw error
  }
  const upsert = database.prepare<[string, string, string]>(
    `INSERT INTO entries (kind, id, value) VALUES (?, ?, ?)
     ON CONFLICT (kind, id) DO UPDATE SET value = excluded.value`,
  )
  const erase = database.prepare<[string, string]>('DELETE FROM entries WHERE kind = ? AND id = ?')
  const select = database.prepare<[string], { id: string; value: string }>(
    'SELECT id, value FROM entries WHERE kind = ? ORDER BY rowid',
  )
  const write = database.transaction((changes: Iterable<Change>) => {
    for (const { kind, id, value } of changes)
      if (value === undefined) erase.run(kind, id)
      else upsert.run(kind, id, JSON.stringify(value))
  })
  const pending = new Map<string, Change>()
  let closed = false

  function flush(): void {
    if (pending.size === 0 || closed) return
    const [id, value] = deps.stamp()
    const changes = [...pending.values(), { kind: 'setting' as const, id, value }]
    write.immediate(changes)
    // Cleared last: a failed write stays pending, throws again at the end of the turn, and ends the process.
    pending.clear()
  }

  function note(kind: EntryKind, id: string, value: unknown): void {
    if (closed) return
    if (pending.size === 0) queueMicrotask(flush)
    pending.set(`${kind}/${id}`, { kind, id, value })
  }

  return {
    put: note,
    remove: (kind, id) => note(kind, id, undefined),
    list: (kind) => {
      flush()
      return select.all(kind).map(({ id, value }) => ({ id, value: JSON.parse(value) as unknown }))
    },
    flush,
    close: () => {
      flush()
      closed = true
      database.close()
    },
  }
}

/** Version of the stored records; a file of another version is refused. */
const version = 3

/** The first write takes the lock and keeps it. */
function prepareFile(database: Database.Database): void {
  database.pragma('locking_mode = EXCLUSIVE')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const found = database.pragma('user_version', { simple: true })
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (found !== version && tables !== 0) throw new Error('the file was not written by this version of the sandbox')
  database.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS entries (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT;
    PRAGMA user_version = ${version};
    COMMIT`)
}
