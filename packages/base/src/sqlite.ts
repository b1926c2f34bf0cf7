import type Database from 'better-sqlite3'
import { loadSqlite } from './load-sqlite.ts'

/** The class of better-sqlite3 that fits this Node: opens a database in a file. */
export const Sqlite: typeof Database = loadSqlite()
