import Database from 'better-sqlite3'
import { type FileIdentity, rememberFiles } from './file-identity.ts'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'

/** How long a writer waits for another process's commit, in milliseconds. */
export const busyTimeoutMs = 10_000
/** Statements kept prepared; groups of deliveries differ in size, and each size is a statement of its own. */
const maxStatements = 300

/** One connection to a file. Every statement holds up its thread until the disk has answered: see thread.ts for where that thread is. */
export class SqliteDriver implements Driver {
  readonly #path: string
  readonly #isReader: boolean
  readonly #statements = new Map<string, Database.Statement>()
  #database: Database.Database | undefined
  #onDestroy: () => void = () => {}
  /** Whoever wants the connection next waits for this. */
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}
  #files: FileIdentity | undefined

  constructor(path: string, isReader = false) {
    this.#path = path
    this.#isReader = isReader
  }

  init(): Promise<void> {
    return new Promise((resolve) => resolve(this.#open()))
  }

  #open(): void {
    const database = new Database(this.#path, { fileMustExist: this.#isReader })
    this.#database = database
    database.pragma(`busy_timeout = ${busyTimeoutMs}`)
    if (this.#isReader) {
      database.pragma('query_only = on')
      return
    }
    // Before the first table, or it has no effect: lets a purge give space back without rewriting the file.
    database.pragma('auto_vacuum = INCREMENTAL')
    database.pragma('journal_mode = WAL')
    // What is deleted is overwritten, and not only marked as free.
    database.pragma('secure_delete = on')
    // After a burst the log shrinks again.
    database.pragma('journal_size_limit = 67108864')
    database.pragma('synchronous = FULL')
    database.pragma('foreign_keys = ON')
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

  /** Takes the write lock at once: upgrading it later fails when another process wrote in between. */
  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
    this.assertFiles()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk has SQLite roll back by itself; that there is nothing left to do must not hide why.
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
    // The rows are what the query's own type says.
    const rows = (found: unknown) => found as R[]
    // A pragma that works in steps, as incremental_vacuum does, must be stepped to its end, which run() does not.
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
