import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { DatabaseError, type Pool, type PoolClient, type QueryResult as PgResult } from 'pg'
import type { SentQuery, SentResult } from '../hot/statement.ts'

/** Text from other systems may contain characters that PostgreSQL rejects every time. */
const storable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

/** Errors of statements before a commit, which PostgreSQL then did not carry out. */
const uncommitted = new WeakSet<Error>()

/** Whether the error, met during a commit, is of a statement before it. */
export const isOfEarlier = (error: Error) => uncommitted.has(error)

type Answer = Pick<PgResult, 'rows' | 'rowCount' | 'command'>

// The rows have the query's own type.
const resultOf = <R>({ rows, rowCount }: Answer): QueryResult<R> => ({
  rows: rows as R[],
  numAffectedRows: BigInt(rowCount ?? 0),
})

/** One borrowed connection. A sent query travels ahead of its answer, which is awaited with the next one: a transaction waits for few answers. */
class PipelinedConnection implements DatabaseConnection {
  readonly #client: PoolClient
  /** Answers that nothing has awaited yet. */
  #sent: Promise<Answer>[] = []
  #failure: Error | undefined

  constructor(client: PoolClient) {
    this.#client = client
  }

  async executeQuery<R>({ sql, parameters, isSent }: CompiledQuery & SentQuery): Promise<SentResult<R>> {
    const answer = this.#send(sql, parameters)
    if (isSent === true) {
      this.#sent.push(answer)
      const result = answer.then((each) => resultOf<R>(each))
      result.catch(() => undefined)
      return { rows: [], answer: result }
    }
    await this.#settle()
    return resultOf(await answer)
  }

  async commit(): Promise<void> {
    const answer = this.#send('commit')
    await this.#settle().catch((error: unknown) => {
      if (error instanceof DatabaseError) uncommitted.add(error)
      throw error
    })
    const { command } = await answer
    // PostgreSQL's answer if the transaction had failed.
    if (command !== 'COMMIT') throw new Error(`PostgreSQL answered a commit with ${command}.`)
  }

  /** Does not fail: the cause of the rollback is what its caller has to know. */
  async rollBack(): Promise<void> {
    this.#sent = []
    await this.#send('rollback').catch(() => undefined)
  }

  #send(sql: string, parameters: readonly unknown[] = []): Promise<Answer> {
    const answer = this.#ask(sql, parameters)
    // Awaited later, or not at all once an earlier one has failed.
    answer.catch(() => undefined)
    return answer
  }

  async #ask(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    // A query without a reply would block those behind it for ever.
    if (this.#failure !== undefined) throw this.#failure
    try {
      return await this.#client.query(sql, parameters.map(storable))
    } catch (error) {
      // An error from PostgreSQL itself concerns the statement, not the connection.
      if (error instanceof Error && !(error instanceof DatabaseError)) this.#failure = error
      throw error
    }
  }

  /** Awaits what was sent; the first error is the cause of all later ones. */
  async #settle(): Promise<void> {
    const sent = this.#sent
    this.#sent = []
    for (const answer of sent) await answer
  }

  streamQuery(): never {
    throw new Error('The ledger reads whole results only.')
  }

  /** A connection is not reused after a failure. */
  async release(): Promise<void> {
    try {
      await this.#settle()
    } finally {
      this.#client.release(this.#failure !== undefined)
    }
  }
}

/** Kysely's dialect, over connections that wait for no answer that they do not need yet. The pool's connections pipeline. */
export class PipelinedDialect extends PostgresDialect {
  readonly #pool: Pool
  readonly #end: () => Promise<void>

  constructor(pool: Pool, end: () => Promise<void>) {
    super({ pool })
    this.#pool = pool
    this.#end = end
  }

  override createDriver(): Driver {
    const pool = this.#pool
    return {
      init: () => Promise.resolve(),
      acquireConnection: async () => new PipelinedConnection(await pool.connect()),
      async beginTransaction(
        connection: DatabaseConnection,
        { isolationLevel = 'read committed' }: TransactionSettings,
      ) {
        await connection.executeQuery(sent(CompiledQuery.raw(`start transaction isolation level ${isolationLevel}`)))
      },
      async commitTransaction(connection: DatabaseConnection) {
        if (connection instanceof PipelinedConnection) await connection.commit()
      },
      async rollbackTransaction(connection: DatabaseConnection) {
        if (connection instanceof PipelinedConnection) await connection.rollBack()
      },
      async releaseConnection(connection: DatabaseConnection) {
        if (connection instanceof PipelinedConnection) await connection.release()
      },
      destroy: this.#end,
    }
  }
}

const sent = (query: CompiledQuery): CompiledQuery & SentQuery => ({ ...query, isSent: true })
