import { readFileSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { Sqlite } from '../packages/base/src/sqlite.ts'

/** Pages written to a file of SQLite. */
export interface WrittenPages {
  /** Added, changed or deleted. */
  rows: number
  /** Tables and indexes of which a page was written. */
  trees: number
  /** Pages in the write-ahead log. */
  pages: number
  /** Of the log. */
  bytes: number
  commits: number
}

const walHeader = 32
const frameHeader = 24

/** Watches a ledger that another process writes to, from outside. */
export function watchPages(file: string) {
  const database = new Sqlite(file)
  const pragmaOf = (name: string) => Number(database.pragma(name, { simple: true }))
  const pageSize = pragmaOf('page_size')
  let before = new Map<string, string>()
  return {
    /** Counts from now on; nothing may be written meanwhile. */
    begin(): void {
      // Then the log holds nothing but what comes next.
      const [{ busy } = { busy: 1 }] = database.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[] // SQLite's own
      if (busy !== 0) throw new Error('The ledger was busy: this measures nothing.')
      before = readRows(database)
    },
    /** Bytes in the log. */
    size: () => statSync(`${file}-wal`).size,
    /** Pages written since `begin`. */
    end(): WrittenPages {
      const wal = readFileSync(`${file}-wal`)
      const written = readFrames(wal, pageSize)
      const after = readRows(database)
      const changed = [...after].filter(([key, row]) => before.get(key) !== row)
      const deleted = [...before.keys()].filter((key) => !after.has(key))
      const trees = database.prepare('select distinct name, pageno from dbstat').all() as {
        name: string
        pageno: number
      }[] // SQLite's own
      const named = trees.filter(({ name, pageno }) => name !== 'sqlite_schema' && written.pages.includes(pageno))
      return {
        rows: changed.length + deleted.length,
        trees: new Set(named.map(({ name }) => name)).size,
        pages: written.pages.length,
        bytes: wal.length,
        commits: written.commits,
      }
    },
    /** Bytes of the file that hold something. */
    held: () => pageSize * (pragmaOf('page_count') - pragmaOf('freelist_count')),
    close: () => void database.close(),
  }
}

/** The frames of a log: the number of each page, in order, and how many of them end a commit (SQLite, File Format, 4.1). */
export function readFrames(wal: Buffer, pageSize: number): { pages: number[]; commits: number } {
  const pages: number[] = []
  let commits = 0
  for (let at = walHeader; at + frameHeader + pageSize <= wal.length; at += frameHeader + pageSize) {
    pages.push(wal.readUInt32BE(at))
    if (wal.readUInt32BE(at + 4) !== 0) commits += 1
  }
  return { pages, commits }
}

/** Each row of each table, by table and key. */
function readRows(database: Database.Database): Map<string, string> {
  const rows = new Map<string, string>()
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`)
    .pluck()
    .all() as string[] // names
  for (const table of tables) {
    const columns = database.pragma(`table_info(${table})`) as { name: string; pk: number }[] // SQLite's own
    const own = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
    const keys = own.length > 0 ? own : ['rowid']
    const all = database
      .prepare(`select ${keys.join(', ')}, * from ${table}`)
      .raw()
      .all() as unknown[][] // raw rows
    for (const row of all) rows.set(JSON.stringify([table, ...row.slice(0, keys.length)]), JSON.stringify(row))
  }
  return rows
}
