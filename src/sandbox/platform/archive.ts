import Database from 'better-sqlite3'

/** The kinds of entry that outlive the process. */
export type EntryKind = 'setting' | 'organization' | 'record' | 'due' | 'delivery' | 'failure'

/** Keeps JSON values by kind and id, so that a sandbox can be taken up again where it stopped. */
export interface Archive {
  /** Keeps `value` as it is when it is written: at the end of this turn of the event loop, or at `flush`. */
  put(kind: EntryKind, id: string, value: unknown): void
  remove(kind: EntryKind, id: string): void
  /** Every value of the kind, the one first put first. */
  list(kind: EntryKind): { id: string; value: unknown }[]
  /** Writes what was put and removed since, all of it or nothing. Throws when the disk refuses. */
  flush(): void
  /** Flushes and lets the file go; what is put afterwards is lost. */
  close(): void
}

/** Keeps nothing. */
export const noArchive: Archive = { put: () => {}, remove: () => {}, list: () => [], flush: () => {}, close: () => {} }

interface Change {
  kind: EntryKind
  id: string
  value: unknown
}

/**
 * Opens an archive in an SQLite file, which it makes when there is none. The file is this process' alone until `close`.
 * `stamp` is a setting that is written anew with every flush. What was flushed survives the end of the process, however it ends; a power cut may take the last moments. Throws when the file is in use or is no archive.
 */
export function openArchive(file: string, deps: { stamp: () => [id: string, value: unknown] }): Archive {
  const database = new Database(file, { timeout: 0 })
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
    // Only now: what cannot be written is thrown again at the end of the turn, and ends the process.
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

const version = 1

/** The first write takes the lock, which then stays. */
function prepareFile(database: Database.Database): void {
  database.pragma('locking_mode = EXCLUSIVE')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  const found = database.pragma('user_version', { simple: true })
  const tables = database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()
  if (found !== version && tables !== 0) throw new Error('the file holds something else than the data of this sandbox')
  database.exec(`BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS entries (kind TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, id)) STRICT;
    PRAGMA user_version = ${version};
    COMMIT`)
}
