import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { PoolClient, PoolConfig } from 'pg'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import { freeClaimsOf } from '../hot/claims-of-process.ts'
import type { Tables } from '../tables.ts'
import { presenceClass } from './locks.ts'

/** Shows other processes of the same ledger that this one is alive, by a session lock: it ends with the process and depends on no clock. */
export interface Presence {
  /** Unique per process. */
  name: string
  leave(): Promise<void>
}

const retryMs = 200
const checkMs = 1_000
/** A process whose connection was cut locks again within this time: one that is absent longer is dead. */
const absentMs = 2_000
const leaveMs = 1_000

/** Registers presence, kept over cut connections, and ends the claims of processes found dead. Rejects if PostgreSQL cannot be reached. */
export async function enterPresence(db: Kysely<Tables>, settings: PoolConfig): Promise<Presence> {
  const { pool, close } = openPostgresPool({ ...settings, max: 1 })
  pool.on('error', () => {})
  const closing = new AbortController()
  const number = randomInt(2 ** 31)
  const name = String(number)

  /** Whether the other process's lock is free; releases it again. */
  async function isAbsent(client: PoolClient, other: string): Promise<boolean> {
    const key = [presenceClass, Number(other)]
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', key)
    if (rows[0]?.taken !== true) return false
    await client.query('select pg_advisory_unlock($1, $2)', key)
    return true
  }

  /** Connects, and takes the lock of this process. */
  async function enter(): Promise<PoolClient> {
    const client = await pool.connect()
    try {
      await client.query('select pg_advisory_lock($1, $2)', [presenceClass, number])
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async function freeDead(client: PoolClient): Promise<void> {
    const others = await db.selectFrom('processes').select('name').where('name', '<>', name).execute()
    const suspects: string[] = []
    for (const other of others) if (await isAbsent(client, other.name)) suspects.push(other.name)
    if (suspects.length === 0) return
    await sleep(absentMs, undefined, { signal: closing.signal, ref: false })
    for (const suspect of suspects) if (await isAbsent(client, suspect)) await forget(suspect)
  }

  /** Ends the claims of a dead process together with its row. */
  async function forget(dead: string): Promise<void> {
    await db.transaction().execute(async (trx) => {
      await freeClaimsOf(trx, dead)
      await trx.deleteFrom('processes').where('name', '=', dead).execute()
    })
  }

  let client: PoolClient | undefined

  async function keep(entered: PoolClient): Promise<void> {
    await freeDead(entered).catch(() => undefined)
    while (!closing.signal.aborted) {
      try {
        client ??= await enter()
        for (;;) {
          await sleep(checkMs, undefined, { signal: closing.signal, ref: false })
          await client.query('select 1')
        }
      } catch {
        if (closing.signal.aborted) return
        client?.release(true)
        client = undefined
        await sleep(retryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  try {
    client = await enter()
    await db.insertInto('processes').values({ name }).execute()
  } catch (error) {
    await close()
    throw error
  }
  const kept = keep(client)
  return {
    name,
    async leave() {
      closing.abort()
      // A row that stays behind names a process without a lock: the next one deletes it.
      const forgotten = kept.then(() => client?.query('delete from processes where name = $1', [name]))
      await Promise.race([forgotten.catch(() => undefined), sleep(leaveMs, undefined, { ref: false })])
      client?.release(true)
      await close()
    },
  }
}
