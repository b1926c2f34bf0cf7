import { setTimeout as sleep } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { Sqlite } from '@pawl/base/sqlite'
import { type FileIdentity, rememberFiles } from './file-identity.ts'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'
import { usualLogBytes } from '../upkeep/disk-room.ts'

/** How long a writer waits for another process's commit, in milliseconds. */
export const busyTimeoutMs = 10_000
/** Of processes that create one file at once, SQLite refuses some without that wait: they try again after this. */
const openPauseMs = 50
/** Max cached prepared statements: delivery groups differ in size, and each size is a separate statement. */
const maxStatements = 300

const isBusy = (error: unknown) => error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY'

/** One connection to a file. Every statement blocks its thread until the disk has answered: thread.ts says which thread. */
export class SqliteDriver implements Driver {
  readonly #path: string
  readonly #isReader: boolean
  readonly #statements = new Map<string, Database.Statement>()
  #database: Database.Database | undefined
  #onDestroy: () => void = () => {}
  /** The next user of the connection waits for this. */
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}
  #files: FileIdentity | undefined

  constructor(path: string, isReader = false) {
    this.#path = path
    this.#isReader = isReader
  }

  async init(): Promise<void> {
    for (const startedAt = performance.now(); ;) {
      try {
        this.#open()
        return
      } catch (error) {
        this.#database?.close()
        this.#database = undefined
        if (!isBusy(error) || performance.now() > startedAt + busyTimeoutMs) throw error
      }
      await sleep(openPauseMs)
    }
  }

  #open(): void {
    const database = new Sqlite(this.#path, { fileMustExist: this.#isReader })
    this.#database = database
    database.pragma(`busy_timeout = ${busyTimeoutMs}`)
    if (this.#isReader) {
      database.pragma('query_only = on')
      return
    }
    // Takes effect only before the first table: lets a purge return space without rewriting the file.
    database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    // Overwrites deleted content instead of only marking it as free.
    database.pragma('secure_delete = on')
    // After a burst the log shrinks again.
    database.pragma(`journal_size_limit = ${usualLogBytes}`)
    database.pragma('synchronous = FULL')
  }

  /** Runs once the database is closed. */
  onDestroy(run: () => void): void {
    this.#onDestroy = run
  }

  /** From now on, a commit counts only if the database is still at its path. */
  guardFiles(): void {
    this.#files = rememberFiles(this.#path)
  }

  /** Throws `LedgerFileGone`. */
  assertFiles(): void {
    this.#files?.assertSame()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free
    let release: () => void = () => {}
    this.#free = new Promise((resolve) => (release = resolve))
    await before
    this.#release = release
    return {
      executeQuery: <R>(query: CompiledQuery) =>
        new Promise<QueryResult<R>>((resolve) => resolve(this.#execute<R>(query))),
      streamQuery: () => {
        throw new Error('The ledger reads whole results only.')
      },
    }
  }

  /** Takes the write lock at once: a later upgrade fails when another process wrote in between. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
    this.assertFiles()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // On a full disk SQLite rolls back by itself; the failing rollback must not hide the cause.
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined)
  }

  releaseConnection(): Promise<void> {
    this.#release()
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    this.#statements.clear()
    this.#database?.close()
    this.#database = undefined
    this.#files = undefined
    this.#onDestroy()
    this.#onDestroy = () => {}
    return Promise.resolve()
  }

  #execute<R>({ sql, parameters }: CompiledQuery): QueryResult<R> {
    if (this.#database === undefined) throw new Error('The ledger is closed.')
    // The rows have the query's own type.
    const rows = (found: unknown) => found as R[]
    // A pragma that works in steps, such as incremental_vacuum, must be stepped to its end, which run() does not do.
    if (sql.startsWith('pragma ')) return { rows: rows(this.#database.pragma(sql.slice('pragma '.length))) }
    const statement = this.#prepare(this.#database, sql)
    if (statement.reader) return { rows: rows(statement.all(parameters)) }
    return { rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) }
  }

  #prepare(database: Database.Database, sql: string): Database.Statement {
    const kept = this.#statements.get(sql)
    if (kept !== undefined) return kept
    if (this.#statements.size >= maxStatements) this.#statements.clear()
    const statement = database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
