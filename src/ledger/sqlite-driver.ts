import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { CompiledQuery, type DatabaseConnection, type Driver, type QueryResult } from 'kysely'

interface Answer {
  id: number
  rows?: unknown[]
  changes?: number
  error?: { message: string; code?: string }
}

interface Pending {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/** What SQLite refused; `code` is SQLite's own. */
class SqliteFailure extends Error {
  readonly code: string | undefined
  constructor({ message, code }: { message: string; code?: string }) {
    super(message)
    this.code = code
  }
}

/** SQLite on a thread of its own: waiting for the disk, or for another process's lock, never holds up the event loop. */
export class SqliteDriver implements Driver {
  readonly #path: string
  readonly #pending = new Map<number, Pending>()
  #thread: Worker | undefined
  #lastId = 0
  /** There is one connection; whoever wants it next waits for this. */
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(path: string) {
    this.#path = path
  }

  async init(): Promise<void> {
    const workerData = { path: this.#path }
    // Plain JavaScript needs none of the flags with which this process may run TypeScript.
    const thread = new Worker(new URL('./sqlite-thread.js', import.meta.url), { workerData, execArgv: [] })
    thread.on('message', (answer: Answer) => this.#settle(answer))
    thread.on('error', (error: Error) => this.#failAll(error))
    thread.on('exit', () => this.#failAll(new Error('The thread of the ledger has ended.')))
    this.#thread = thread
    await once(thread, 'online')
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free
    let release: () => void = () => {}
    this.#free = new Promise((resolve) => (release = resolve))
    await before
    this.#release = release
    return {
      executeQuery: <R>(query: CompiledQuery) => this.#execute<R>(query),
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
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // A full disk has SQLite roll back by itself; that there is nothing left to do must not hide why.
    await connection.executeQuery(CompiledQuery.raw('rollback')).catch(() => undefined)
  }

  releaseConnection(): Promise<void> {
    this.#release()
    return Promise.resolve()
  }

  async destroy(): Promise<void> {
    if (this.#thread === undefined) return
    const ended = once(this.#thread, 'exit')
    this.#thread.postMessage('close')
    this.#thread = undefined
    await ended
  }

  async #execute<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { thread, id } = { thread: this.#thread, id: ++this.#lastId }
    if (thread === undefined) throw new Error('The ledger is closed.')
    const { rows = [], changes } = await new Promise<Answer>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      thread.postMessage({ id, sql, parameters })
    })
    return {
      // The rows are what the query's own type says.
      rows: rows as R[],
      ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    }
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if (answer.error === undefined) pending?.resolve(answer)
    else pending?.reject(new SqliteFailure(answer.error))
  }

  #failAll(error: Error): void {
    this.#thread = undefined
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}
