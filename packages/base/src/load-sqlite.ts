import { createRequire } from 'node:module'
import type Database from 'better-sqlite3'

/** better-sqlite3 13 does not load on Node 20; 12 aborts the process on Node 24.19 and later when the garbage collector frees a statement. */
const release = Number.parseInt(process.versions.node) < 22 ? 'better-sqlite3-12' : 'better-sqlite3'

/** Loads the better-sqlite3 class that fits this version of Node; it opens a database file. Throws if the driver cannot be loaded. */
export function loadSqlite(): typeof Database {
  try {
    return createRequire(import.meta.url)(release) as typeof Database
  } catch (cause) {
    throw new Error(
      `The SQLite driver (${release}) cannot be loaded. It is an optional package: install it, or all again without --omit=optional; where no compiled driver can be had, a C++ toolchain is needed.`,
      { cause },
    )
  }
}
