import { crc32 } from 'node:zlib'
import { Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { DatabaseError, TypeOverrides, types } from 'pg'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import { type ColumnTypes, migrate, migrations, unusableDatabase } from '../migrations.ts'
import { isFaultOfCode, type Storage } from '../storage.ts'
import type { Tables } from '../tables.ts'
import { readBlockingBackends } from './blocking-backends.ts'
import { lockClass } from './locks.ts'
import { createEvents } from './partition-events.ts'
import { addAhead, keepAhead } from './partitions.ts'
import { patiently } from './patiently.ts'
import { ownerPrefix } from '../hot/claims-of-process.ts'
import { askedOf, type SentQuery, type SentResult } from '../hot/statement.ts'
import { isOfEarlier, PipelinedDialect } from './pipelined-driver.ts'
import { enterPresence, type Presence } from './session-lock.ts'
import { purgePartition } from './purge-partition.ts'

/** One writes at a time (group commit); the others read. */
const connections = 5
/** Connections for views: pages, counts, searches, reports. */
const viewConnections = 3
const connectTimeoutMs = 5_000
/** A slower statement means a database in trouble: better to fail, answer 503 and have the webhook sent again. */
const statementTimeoutMs = 15_000
/** A page that would wait longer for a lock is not shown. */
const viewLockTimeoutMs = 2_000
/** Client-side limit, for a server or network that hangs without replying. */
const answerTimeoutMs = 20_000

/** Rolled back by PostgreSQL: a deadlock, a serialization failure. */
const rolledBack: ReadonlySet<unknown> = new Set(['40P01', '40001'])
/** A value or statement that PostgreSQL rejects: classes 22, 23, 42, 54 and 0A of its codes. */
const refused = /^(22|23|42|54|0A)/
/** Connection lost: an administrator, a server crash, the network. */
const cut: ReadonlySet<unknown> = new Set(['57P01', '57P02', 'ECONNRESET', 'EPIPE'])
/** pg's message for a connection that ended without an error. */
const cutMessage = /^Connection terminated unexpectedly$|is not queryable$/

/** Advisory locks that serialise writers of one resource: a fixed number of slots, so that a commit to many resources cannot exhaust the server's locks. */
const locks = { class: lockClass, slots: 128 }

/** Ids, times and counts stay far below 2^53, the limit of exact integers in JavaScript. */
export function createTypes(): TypeOverrides {
  const overrides = new TypeOverrides()
  overrides.setTypeParser(types.builtins.INT8, Number)
  overrides.setTypeParser(types.builtins.NUMERIC, Number)
  return overrides
}

/** Sends a statement, without a wait for its answer. */
const send = <Row>(trx: Transaction<Tables>, statement: RawBuilder<Row>): Promise<SentResult<Row>> =>
  trx.executeQuery({ ...statement.compile(trx), ...sentOnly })
const sentOnly: SentQuery = { isSent: true }

/** Takes the locks of these slots. The clock is read once all of them are counted, so after the wait for them. */
const selectNow = (slots: readonly number[]) => sql<{ now: number }>`
  select floor(extract(epoch from clock_timestamp()) * 1000) as now from (
    select count(pg_advisory_xact_lock(${locks.class}::int, slot)) as taken from unnest(${slots}::int[]) as slot
  ) as locked where taken >= 0`
const timeIn = (rows: readonly { now: number }[]) => Number(rows[0]?.now)

/** The schema of the tables: the first existing one of `search_path`. The first query on the database. */
async function readSchema(db: Kysely<Tables>): Promise<string> {
  const asked = sql<{ name: string | null }>`select current_schema() as name`.execute(db)
  const { rows } = await asked.catch((error: unknown) => {
    throw unusableDatabase(error)
  })
  const name = rows[0]?.name ?? null
  if (name !== null) return name
  throw new Error('The schema that search_path names in DATABASE_URL does not exist: create it, or name another.')
}

/** PostgreSQL's names of column types, and its partitioned table of events. */
export const columnTypes: ColumnTypes = {
  id: sql`bigint generated always as identity primary key`,
  keptId: sql`bigint generated always as identity primary key`,
  bytes: sql`bytea`,
  integer: sql`bigint`,
  byKey: sql``,
  createEvents,
  partitionEvents: addAhead,
}

/** Connects to a ledger on PostgreSQL, with the newest schema. `onError` reports broken idle connections; the pool replaces them. `forCopy` skips presence: a copy claims nothing. */
export async function openPostgres(
  url: string,
  onError: (error: Error) => void,
  { timeoutMs = answerTimeoutMs, forCopy = false } = {},
): Promise<Storage> {
  const settings = {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    query_timeout: timeoutMs,
    application_name: 'pawl',
    pipeline: true,
    types: createTypes(),
  }
  const { pool, close } = openPostgresPool({ ...settings, max: connections })
  const viewPool = openPostgresPool({ ...settings, max: viewConnections, lock_timeout: viewLockTimeoutMs })
  pool.on('error', onError)
  viewPool.pool.on('error', onError)
  let presence: Presence | undefined
  const end = async () => {
    await presence?.leave()
    await Promise.all([close(), viewPool.close()])
  }
  const db = new Kysely<Tables>({ dialect: new PipelinedDialect(pool, end) })
  const views = new Kysely<Tables>({ dialect: new PipelinedDialect(viewPool.pool, viewPool.close) })
  try {
    await patiently(async () => {
      const schema = await readSchema(db)
      await migrate(db, migrations(columnTypes), schema)
    })
    await keepAhead(db)
    if (!forCopy) presence = await enterPresence(db, settings)
  } catch (error) {
    await db.destroy()
    throw error
  }
  return {
    db,
    views,
    now: async (db) => timeIn((await selectNow([]).execute(db)).rows),
    async lock(trx, resourceIds) {
      const slots = new Set(resourceIds.map((id) => crc32(id) % locks.slots))
      // The same order everywhere, so that two processes cannot deadlock.
      const ordered = [...slots].toSorted((a, b) => a - b)
      return askedOf(await send(trx, selectNow(ordered)), timeIn)
    },
    openForMs: 2 * statementTimeoutMs,
    async keepPauses(trx) {
      await sql`select 1 from pauses for share`.execute(trx)
    },
    async lockAudit(trx) {
      await sql`select 1 from audit_head for update`.execute(trx)
    },
    async askNumbers(trx, resourceIds, count) {
      // An id taken for a copy stays unused.
      const select = sql<{ id: string | null; number: number; newest: number; heads: string | null }>`
        select id, number, newest_event_id as newest, heads from resources where id = any(${resourceIds}::text[])
        union all select null, nextval('events_id_seq'), 0, null from generate_series(1, ${count}::int)`
      return askedOf(await send(trx, select), (rows) => ({
        known: new Map(
          rows.flatMap(({ id, number, newest: newestEventId, heads }) =>
            id === null ? [] : [[id, { number, newestEventId, heads }]],
          ),
        ),
        eventIds: rows.flatMap(({ id, number }) => (id === null ? number : [])).toSorted((a, b) => a - b),
      }))
    },
    async purgePartition(cursor, limits) {
      if (cursor === 0) await keepAhead(db)
      return purgePartition(db, cursor, limits)
    },
    async mend(error) {
      // No partition covers the event's number: more events came than were planned for.
      const isOutside = error instanceof DatabaseError && error.code === '23514' && error.table === 'events'
      if (isOutside) await keepAhead(db)
      return isOutside
    },
    // PostgreSQL's own vacuum does it.
    reclaim: () => Promise.resolve(true),
    // Its vacuum removes the rows eventually; WAL and replicas keep them longer.
    wipe: () => Promise.resolve('left_to_database'),
    lockHolders: () => readBlockingBackends(views),
    assertDurable() {},
    processName: presence === undefined ? '' : ownerPrefix(presence.name),
    isRefused: (error) => (error instanceof DatabaseError ? refused.test(error.code ?? '') : isFaultOfCode(error)),
    isPassing(error, isCommitting) {
      if (!(error instanceof Error)) return false
      const code = 'code' in error ? error.code : undefined
      // A commit without a reply may or may not have happened.
      const isUncommitted = !isCommitting || isOfEarlier(error)
      return rolledBack.has(code) || (isUncommitted && (cut.has(code) || cutMessage.test(error.message)))
    },
  }
}
