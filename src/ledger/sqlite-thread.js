// @ts-check
// The one file in JavaScript: a worker thread gets it as it is, in the sources, in the build and in the tests alike.
import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'

/** @typedef {{ id: number, sql: string, parameters: readonly unknown[] }} Request */

/** How long a writer waits for another process's commit, in milliseconds. */
const busyTimeoutMs = 10_000
/** Statements kept prepared; groups of deliveries differ in size, and each size is a statement of its own. */
const mostStatements = 300

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const database = new Database(workerData.path)
database.pragma(`busy_timeout = ${busyTimeoutMs}`)
// Before the first table, or it has no effect: lets a purge give space back without rewriting the file.
database.pragma('auto_vacuum = INCREMENTAL')
database.pragma('journal_mode = WAL')
// After a burst the log shrinks again.
database.pragma('journal_size_limit = 67108864')
database.pragma('synchronous = FULL')
database.pragma('foreign_keys = ON')

/** @type {Map<string, import('better-sqlite3').Statement>} */
const statements = new Map()

/** @param {string} sql */
function prepare(sql) {
  const kept = statements.get(sql)
  if (kept !== undefined) return kept
  if (statements.size >= mostStatements) statements.clear()
  const statement = database.prepare(sql)
  statements.set(sql, statement)
  return statement
}

/** @param {Request} request */
function execute({ sql, parameters }) {
  // A pragma that works in steps, as incremental_vacuum does, must be stepped to its end, which run() does not.
  if (sql.startsWith('pragma '))
    return { rows: /** @type {unknown[]} */ (database.pragma(sql.slice('pragma '.length))) }
  const statement = prepare(sql)
  if (statement.reader) return { rows: statement.all(parameters) }
  return { rows: [], changes: statement.run(parameters).changes }
}

port.on('message', (/** @type {Request | 'close'} */ request) => {
  if (request === 'close') {
    database.close()
    port.close()
    return
  }
  try {
    port.postMessage({ id: request.id, ...execute(request) })
  } catch (error) {
    const { message, code } = /** @type {Error & { code?: string }} */ (error)
    port.postMessage({ id: request.id, error: { message, code } })
  }
})
