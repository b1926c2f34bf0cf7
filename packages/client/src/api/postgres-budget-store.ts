import { escapeLiteral, type PoolClient, type QueryResult } from 'pg'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import type { Allowance } from './allowance.ts'
import { type BudgetStore, joinUpdates } from './budget-store.ts'

/** Milliseconds after which a request is sent without an allowance. */
const timeoutMs = 1_000
// Unlogged, so writes do not wait for the disk: an allowance lost in a crash is learned again from the next answer. Lives in the ledger's schema.
const setUp = 'create unlogged table if not exists rate_allowances (key text primary key, allowance jsonb not null)'

interface Row {
  key: string
  allowance: Allowance
}

/** A budget shared by all processes with this PostgreSQL. Fails open: rejects if PostgreSQL takes over a second, and the request is then sent without an allowance. */
export function createPostgresBudgetStore(url: string): BudgetStore & { close(): Promise<void> } {
  const { pool, close } = openPostgresPool({
    connectionString: url,
    // Updates are batched, so only one runs at a time.
    max: 1,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // A process that freezes while it locks an allowance must not block the others.
    idle_in_transaction_session_timeout: timeoutMs,
    application_name: 'pawl-budget',
  })
  // Without a listener, a lost connection would end the process; failed updates report the outage.
  pool.on('error', () => {})
  let ready: Promise<unknown> | undefined

  function prepare(): Promise<unknown> {
    ready ??= connected(async (client) => {
      await client.query('begin')
      // Concurrent creates of one table would fail: the lock serializes them.
      await client.query("select pg_advisory_xact_lock(hashtextextended('pawl_budget ' || current_schema(), 0))")
      await client.query(setUp)
      await client.query('commit')
    }).catch((error: unknown) => {
      ready = undefined
      throw error
    })
    return ready
  }

  /** Runs several statements in one message and returns the last one's rows. Such a message takes no parameters, so values are quoted. */
  async function run(client: PoolClient, statements: string): Promise<Row[]> {
    // pg returns an array for several statements.
    const results = (await client.query<Row>(statements)) as unknown as QueryResult<Row>[]
    return results.at(-1)?.rows ?? []
  }

  async function connected<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect()
    try {
      const result = await work(client)
      client.release()
      return result
    } catch (error) {
      // PostgreSQL rolls back when the connection ends, in any state.
      client.release(true)
      throw error
    }
  }

  const store: BudgetStore = {
    async update(keys, change) {
      await prepare()
      return connected(async (client) => {
        const names = (some: readonly string[]) => `array[${some.map(escapeLiteral).join()}]::text[]`
        // One order everywhere prevents deadlocks. Advisory locks also cover keys without a row.
        const rows = await run(
          client,
          `begin;
          select pg_advisory_xact_lock(hashtextextended('pawl_budget ' || current_schema() || ' ' || key, 0))
            from unnest(${names(keys.toSorted())}) as key;
          select key, allowance from rate_allowances where key = any(${names(keys)})`,
        )
        const stored = new Map(rows.map(({ key, allowance }) => [key, allowance]))
        const { allowances, result } = change(keys.map((key) => stored.get(key)))
        const changed = new Map<string, Allowance>()
        for (const [index, key] of keys.entries()) {
          const allowance = allowances[index]
          if (allowance !== undefined) changed.set(key, allowance)
        }
        const values = [...changed.values()].map((allowance) => JSON.stringify(allowance))
        const write = `insert into rate_allowances
          select * from unnest(${names([...changed.keys()])}, ${names(values)}::jsonb[])
          on conflict (key) do update set allowance = excluded.allowance;`
        await client.query(`${changed.size > 0 ? write : ''}commit`)
        return result
      })
    },
  }
  return { ...joinUpdates(store), close }
}
