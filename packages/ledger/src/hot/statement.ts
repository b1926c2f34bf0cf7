import {
  type Compilable,
  type CompiledQuery,
  type DialectAdapter,
  type Kysely,
  PostgresAdapter,
  type QueryResult,
  sql,
  SqliteAdapter,
} from 'kysely'
import type { Tables } from '../tables.ts'

/** Max rows per statement; more take several. */
const maxRows = 64

/** Rows of the next statement. SQLite keeps prepared statements, each of one size: powers of two keep their number small, and a further statement costs no round trip. */
function sizeOf(left: number, isOnSqlite: boolean): number {
  return isOnSqlite ? 2 ** Math.floor(Math.log2(Math.min(left, maxRows))) : Math.min(left, maxRows)
}

/** Placeholder of one value in a statement. */
class Slot {
  readonly row: number
  readonly key: string

  constructor(row: number, key: string) {
    this.row = row
    this.key = key
  }
}

/** A query that is only sent, on PostgreSQL: its answer is awaited with the next one's, so that it costs no round trip. Its error is then that one's, or the commit's. */
export interface SentQuery {
  isSent?: boolean
}

/** Result of a query that may only have been sent. */
export interface SentResult<Row> extends QueryResult<Row> {
  /** Resolves once a later query, or the commit, was answered; absent where the rows are there. */
  answer?: Promise<QueryResult<Row>>
}

/** The rows of a query that was only sent. */
export async function answerOf<Row>(sent: SentResult<Row>): Promise<readonly Row[]> {
  return sent.answer === undefined ? sent.rows : (await sent.answer).rows
}

/** What was asked of the database, to be awaited once more was sent. */
export interface Asked<T> {
  answer: Promise<T>
}

export function asked<T>(answer: Promise<T>): Asked<T> {
  // Not awaited where the transaction fails first.
  answer.catch(() => undefined)
  return { answer }
}

/** What follows from the rows of a query that was only sent. */
export const askedOf = <Row, T>(sent: SentResult<Row>, read: (rows: readonly Row[]) => T | Promise<T>): Asked<T> =>
  asked(answerOf(sent).then(read))

/** Runs a statement with the values of these rows. */
export type Statement<Row, Result> = (db: Kysely<Tables>, rows: readonly Row[]) => Promise<SentResult<Result>>

/** A statement of which nothing is read. */
export function createWrite<Row extends object>(
  build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable,
): (db: Kysely<Tables>, rows: readonly Row[]) => Promise<unknown> {
  return createStatement(build, { isSent: true })
}

/**
 * Creates a statement compiled once per number of rows, then only given values: compiling takes longer than running
 * it, and leaves more garbage. `build` gets placeholders, which it can put into the statement but not read.
 */
export function createStatement<Row extends object, Result>(
  build: (db: Kysely<Tables>, rows: readonly Row[]) => Compilable<Result>,
  how: SentQuery = {},
): Statement<Row, Result> {
  // Database dialects differ; the adapter identifies them.
  const known = new WeakMap<DialectAdapter, Map<number, CompiledQuery<Result>>>()

  function compile(db: Kysely<Tables>, rows: readonly Row[]): CompiledQuery<Result> {
    const slots = rows.map((row, index) =>
      Object.fromEntries(Object.keys(row).map((key) => [key, new Slot(index, key)])),
    )
    // To the compiler, a slot has the type of its later value.
    return build(db, slots as unknown as Row[]).compile()
  }

  async function run(db: Kysely<Tables>, rows: readonly Row[]): Promise<SentResult<Result>> {
    const { adapter } = db.getExecutor()
    const ofAdapter = known.get(adapter) ?? new Map<number, CompiledQuery<Result>>()
    known.set(adapter, ofAdapter)
    const compiled = ofAdapter.get(rows.length) ?? compile(db, rows)
    ofAdapter.set(rows.length, compiled)
    const parameters = compiled.parameters.map((parameter) =>
      // A slot was made from an existing row and key.
      parameter instanceof Slot ? (rows[parameter.row] as Record<string, unknown>)[parameter.key] : parameter,
    )
    return db.executeQuery({ ...compiled, ...how, parameters })
  }

  return async (db, rows) => {
    const isOnSqlite = db.getExecutor().adapter instanceof SqliteAdapter
    if (rows.length === sizeOf(rows.length, isOnSqlite)) return run(db, rows)
    const results: SentResult<Result>[] = []
    for (let at = 0, size = 0; at < rows.length; at += size) {
      size = sizeOf(rows.length - at, isOnSqlite)
      results.push(await run(db, rows.slice(at, at + size)))
    }
    const all = async () => ({ rows: (await Promise.all(results.map(answerOf))).flat() })
    if (results.every(({ answer }) => answer === undefined)) return all()
    return { rows: [], ...asked(all()) }
  }
}

/** The end of a query that locks the rows which it reads of a table, until the transaction ends, and reads them as their last writer left them. On SQLite a writer has the whole file to itself. */
export const lockingRows = (db: Kysely<Tables>, table: keyof Tables) =>
  db.getExecutor().adapter instanceof PostgresAdapter ? sql`for update of ${sql.table(table)}` : sql``

/** Column types as PostgreSQL names them; SQLite needs none. */
const givenTypes = { text: 'text', integer: 'bigint', bytes: 'bytea' }

/** Rows of values as a table called `given`, to join with and to set from: one statement for many rows. */
export function givenRows<Row extends object>(
  db: Kysely<Tables>,
  rows: readonly Row[],
  types: { [Key in keyof Row]: keyof typeof givenTypes },
) {
  const isTyped = db.getExecutor().adapter instanceof PostgresAdapter
  // The keys of an object are its columns, in this order.
  const columns = Object.entries(types) as [keyof Row & string, keyof typeof givenTypes][]
  const lines = rows.map((row, index) => {
    const values = columns.map(([name, type]) =>
      // PostgreSQL takes the types of all rows from the first.
      isTyped && index === 0 ? sql`cast(${row[name]} as ${sql.raw(givenTypes[type])})` : sql`${row[name]}`,
    )
    return sql`(${sql.join(values)})`
  })
  const named = columns.map(([name], index) => sql`${sql.ref(`column${index + 1}`)} as ${sql.ref(name)}`)
  return sql<Row>`(select ${sql.join(named)} from (values ${sql.join(lines)}) as listed)`.as('given')
}
