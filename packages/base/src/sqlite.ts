import type Database from 'better-sqlite3'
import { loadSqlite } from './load-sqlite.ts'

/** The better-sqlite3 class that fits this version of Node; it opens a database file. */
export const Sqlite: typeof Database = loadSqlite()
