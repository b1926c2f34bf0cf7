import { crc32 } from 'node:zlib'
import { Kysely, PostgresDialect, type PostgresPoolClient, sql } from 'kysely'
import { DatabaseError, type Pool, TypeOverrides, types } from 'pg'
import { openPostgresPool } from '../../base/net/postgres-pool.ts'
import { type ColumnTypes, migrate, migrations, unusableDatabase } from '../migrations.ts'
import { isFaultOfCode, type Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import { findMarked } from './marked-events.ts'
import { lockClass } from './locks.ts'
import { createEvents, partitionEvents } from './partition-events.ts'
import { keepAhead } from './partitions.ts'
import { patiently } from './patiently.ts'
import { purgePartition } from './purge-partition.ts'

/** One writes at a time (group commit); the others read. */
const connections = 5
/** Those of views: pages, counts, searches, reports. */
const viewConnections = 3
const connectTimeoutMs = 5_000
/** A statement that takes longer has met a database in trouble: better to fail, answer 503 and be sent again. */
const statementTimeoutMs = 15_000
/** Where not even that is said, because the server or the way to it hangs. */
const answerTimeoutMs = 20_000

/** What PostgreSQL rolled back: a deadlock, a serialization failure. */
const rolledBack: ReadonlySet<unknown> = new Set(['40P01', '40001'])
/** A value or a statement that PostgreSQL cannot take: the classes 22, 23, 42, 54 and 0A of its codes. */
const refused = /^(22|23|42|54|0A)/
/** What ends a connection: an administrator, a crash of the server, the network. */
const cut: ReadonlySet<unknown> = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE'])
/** The same, as pg says it of a connection that ended without an error. */
const cutMessage = /^Connection terminated unexpectedly$|is not queryable$/

/** The locks by which writers of one resource wait for each other: a number of slots that no server runs out of, however many resources a commit writes to. */
const locks = { class: lockClass, slots: 128 }

/** Ids, times and counts stay far below the 2^53 up to which JavaScript counts exactly. */
export function createTypes(): TypeOverrides {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, Number)
  overrides.setTypeParser(types.builtins.NUMERIC, Number)
  return overrides
}

/** Text of other systems may hold what PostgreSQL's cannot, and would refuse each time. */
const storable = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

/** A connection that is not used again once it failed: a query without an answer would keep those behind it waiting for ever. */
async function connect(pool: Pool): Promise<PostgresPoolClient> {
  const client = await pool.connect()
  let failure: Error | undefined
  async function query(text: string, values: readonly unknown[]): Promise<unknown> {
    if (failure !== undefined) throw failure
    try {
      return await client.query(text, values.map(storable))
    } catch (error) {
      // What PostgreSQL says itself is about the statement.
      if (error instanceof Error && !(error instanceof DatabaseError)) failure = error
      throw error
    }
  }
  // Its other overload is for cursors, which no ledger uses.
  return { query: query as PostgresPoolClient['query'], release: () => client.release(failure !== undefined) }
}

/** The schema that the tables are in: the first of `search_path` that is there. Nothing is asked of the database before. */
async function readSchema(db: Kysely<Tables>): Promise<string> {
  const asked = sql<{ name: string | null }>`select current_schema() as name`.execute(db)
  const { rows } = await asked.catch((error: unknown) => {
    throw unusableDatabase(error)
  })
  const name = rows[0]?.name ?? null
  if (name !== null) return name
  throw new Error('The schema that search_path names in DATABASE_URL is not there: create it, or name another.')
}

/** What the columns of a ledger are called here, and what its table of events is. */
export const columnTypes: ColumnTypes = {
  id: sql`bigint generated always as identity primary key`,
  bytes: sql`bytea`,
  integer: sql`bigint`,
  createEvents,
  partitionEvents,
}

/** Connects to a ledger on PostgreSQL, with the newest schema. `onError` hears of idle connections that broke; the pool replaces them. */
export async function openPostgres(
  url: string,
  onError: (error: Error) => void,
  timeoutMs = answerTimeoutMs,
): Promise<Storage> {
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: timeoutMs,
    application_name: 'pawl',
    types: createTypes(),
  }
  const { pool, close } = openPostgresPool({ ...settings, max: connections })
  const viewPool = openPostgresPool({ ...settings, max: viewConnections })
  pool.on('error', onError)
  viewPool.pool.on('error', onError)
  const end = async () => void (await Promise.all([close(), viewPool.close()]))
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: () => connect(pool), end } }),
  })
  const views = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { connect: () => connect(viewPool.pool), end: viewPool.close } }),
  })
  try {
    await patiently(async () => {
      const schema = await readSchema(db)
      await migrate(db, migrations(columnTypes), schema)
    })
    await keepAhead(db)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    db,
    views,
    async now(db) {
      const { rows } = await sql<{
        now: number
      }>`select floor(extract(epoch from clock_timestamp()) * 1000) as now`.execute(db)
      return Number(rows[0]?.now)
    },
    async lock(trx, resourceIds) {
      const slots = new Set(resourceIds.map((id) => crc32(id) % locks.slots))
      // In one order everywhere: two processes that take the same locks must not wait for each other.
      const ordered = [...slots].toSorted((a, b) => a - b)
      await sql`select pg_advisory_xact_lock(${locks.class}::int, slot) from unnest(${ordered}::int[]) as slot`.execute(
        trx,
      )
    },
    async keepHolds(trx) {
      await sql`select 1 from holds for share`.execute(trx)
    },
    async lockAudit(trx) {
      await sql`select 1 from audit_head for update`.execute(trx)
    },
    findKnown: findMarked,
    async purgePartition(cursor, limits) {
      if (cursor === 0) await keepAhead(db)
      return purgePartition(db, cursor, limits)
    },
    async mend(error) {
      // No partition takes the number of an event: more came than ever was made room for.
      const isOutside = error instanceof DatabaseError && error.code === '23514' && error.table === 'events'
      if (isOutside) await keepAhead(db)
      return isOutside
    },
    // PostgreSQL's own vacuum does it.
    reclaim: () => Promise.resolve(true),
    // Its vacuum removes the rows in its own time; its log and what copies it keep them for longer.
    wipe: () => Promise.resolve('left_to_database'),
    assertDurable() {},
    processName: '',
    isRefused: (error) => (error instanceof DatabaseError ? refused.test(error.code ?? '') : isFaultOfCode(error)),
    isPassing(error, isCommitting) {
      if (!(error instanceof Error)) return false
      const code = 'code' in error ? error.code : undefined
      // Whether a commit that got no answer was made, nobody can tell.
      return rolledBack.has(code) || (!isCommitting && (cut.has(code) || cutMessage.test(error.message)))
    },
  }
}
