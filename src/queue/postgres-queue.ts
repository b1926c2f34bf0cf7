import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Notification, PoolClient } from 'pg'
import type { Log } from '@pawl/base/log'
import { openPostgresPool } from '@pawl/base/net/postgres-pool'
import { createInProcessQueue } from './in-process-queue.ts'
import { createOutageNote } from './outage-note.ts'
import { type Queue, QueueUnavailable } from './queue.ts'

/** One connection listens, in processes with workers; the other notifies. */
const connections = 2
/** Time limit of PostgreSQL to connect or answer, in milliseconds: ids must not pile up while it hangs. */
const timeoutMs = 2_000
/** Wait before listening again, in milliseconds. */
const retryMs = 500
/** Interval of checking the listening connection, in milliseconds: it may be lost silently. */
const checkMs = 30_000
/** Max bytes of the ids in one notification; PostgreSQL limits payloads to below 8,000. */
const maxBytes = 7_800

/** The channel of one ledger: each schema of a database may hold one. */
const channel = `'pawl_' || md5(current_schema())`

interface Waiting {
  resourceId: string
  resolve(this: void): void
  reject(this: void, error: unknown): void
}

/**
 * A queue for many processes with one PostgreSQL. NOTIFY sends the ids to every process that listens, where they wait in memory; the claim decides which process works (rule 4).
 * A lost notification costs nothing: the sweeper finds due work.
 */
export function createPostgresQueue({ url, log }: { url: string; log: Log }): Queue {
  const outage = createOutageNote(log, 'DATABASE_URL')
  const local = createInProcessQueue()
  /** Distinguishes this process's own notifications. */
  const sender = randomBytes(9).toString('base64url')
  const closing = new AbortController()
  const { pool, close: closePool } = openPostgresPool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'pawl-queue',
  })
  pool.on('error', outage.down)
  let waiting: Waiting[] = []
  let sending: Promise<void> | undefined
  let listening: Promise<void> | undefined
  let closed: Promise<void> | undefined

  /** Sends all waiting ids in one statement at a time: PostgreSQL commits notifications in sequence. */
  async function send(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const payloads = toPayloads(sender, new Set(batch.map(({ resourceId }) => resourceId)))
      try {
        await pool.query(`select pg_notify(${channel}, payload) from unnest($1::text[]) as payload`, [payloads])
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    sending = undefined
  }

  function notify(resourceId: string): Promise<void> {
    return new Promise((resolve, reject) => {
      waiting.push({ resourceId, resolve, reject })
      sending ??= send()
    })
  }

  function hear({ payload = '' }: Notification): void {
    const [from, ...resourceIds] = readPayload(payload)
    if (from !== sender) for (const resourceId of resourceIds) void local.enqueue(resourceId)
  }

  async function listen(): Promise<void> {
    const { signal } = closing
    while (!signal.aborted) {
      let client: PoolClient | undefined
      try {
        client = await pool.connect()
        await listenOn(client)
      } catch (error) {
        if (!signal.aborted) outage.down(error)
      } finally {
        client?.release(true)
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Listens until the queue closes; throws once the connection is lost. */
  async function listenOn(client: PoolClient): Promise<void> {
    const { signal } = closing
    const lost = once(client, 'end', { signal })
    lost.catch(() => {})
    client.on('notification', hear)
    const { rows } = await client.query<{ name: string }>(`select ${channel} as name`)
    await client.query(`listen ${rows[0]?.name}`)
    outage.up()
    while (!signal.aborted) {
      const isLost = await Promise.race([lost.then(() => true), sleep(checkMs, false, { signal, ref: false })])
      if (isLost) throw new Error('the listening connection was lost')
      await client.query('select 1')
    }
  }

  return {
    async enqueue(resourceId) {
      try {
        if (closed !== undefined) throw new Error('the queue is closed')
        await local.enqueue(resourceId)
        await notify(resourceId)
        outage.up()
      } catch (error) {
        if (closed === undefined) outage.down(error)
        const message = 'PostgreSQL did not pass the id on: check DATABASE_URL and the PostgreSQL server.'
        throw new QueueUnavailable(message, { cause: error })
      }
    },
    start(work, concurrency) {
      local.start(work, concurrency)
      listening = listen()
    },
    outage: outage.read,
    close() {
      closed ??= (async () => {
        closing.abort()
        await Promise.all([local.close(), listening, closePool()])
      })()
      return closed
    },
  }
}

/** Payloads with the sender and as many ids as fit. */
function toPayloads(sender: string, resourceIds: Iterable<string>): string[] {
  const payloads: string[] = []
  let some = [sender]
  let bytes = 0
  for (const id of resourceIds) {
    const more = Buffer.byteLength(JSON.stringify(id)) + 1
    if (some.length > 1 && bytes + more > maxBytes) {
      payloads.push(JSON.stringify(some))
      some = [sender]
      bytes = 0
    }
    some.push(id)
    bytes += more
  }
  return [...payloads, JSON.stringify(some)]
}

/** The ids of a payload; none for another format, since any user of the database may notify. */
function readPayload(payload: string): string[] {
  try {
    const held: unknown = JSON.parse(payload)
    return Array.isArray(held) ? held.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}
