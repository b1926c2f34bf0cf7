import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'

/** Connections to one PostgreSQL. */
export interface PostgresPool {
  pool: Pool
  /** Ends every connection in bounded time, by force if PostgreSQL does not answer. */
  close(this: void): Promise<void>
}

/** Time limit of the queries in hand, and again of closing the connections, in milliseconds. */
const closeTimeoutMs = 2_000

/** SQLSTATE of a statement that a server refuses because it takes no writes: a replica, or one that is set read-only. */
export const readOnlyCode = '25006'
/** Errors that mean the server and not the statement: it takes no writes, or it shuts down. */
const isOfServer = (code: string | undefined) => code === readOnlyCode || code?.startsWith('57P') === true

/**
 * Makes a pool that connects on demand. The caller must listen to the pool's `error`.
 * Its connections lead to a server that takes writes, unless `mayBeReadOnly`: a connection to a replica is refused with SQLSTATE 25006, as libpq does with `target_session_attrs=read-write`, and one whose server stops to take writes is not used again.
 */
export function openPostgresPool(config: PoolConfig, { mayBeReadOnly = false } = {}): PostgresPool {
  const sockets = new Set<Socket>()
  const spent = new WeakSet<PoolClient>()
  const pool = new Pool({
    keepAlive: true,
    ...config,
    stream() {
      const socket = new Socket()
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      return socket
    },
    ...(!mayBeReadOnly && { verify: (client, done) => void assertWritable(client).then(() => done(), done) }),
  })
  pool.on('connect', (client) => {
    // A borrowed connection may break between two queries, when it has no listener: the next query reports it.
    client.on('error', () => {})
    client.connection.on('errorMessage', ({ code }: DatabaseError) => void (isOfServer(code) && spent.add(client)))
  })
  // The pool keeps no connection that is ending.
  pool.on('release', (_error, client) => void (spent.has(client) && client.end()))
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    const ended = pool.end()
    const timeout = () => sleep(closeTimeoutMs, undefined, { ref: false })
    await Promise.race([ended, timeout()])
    // A hanging server never closes its side, and its sockets would keep this process alive.
    for (const socket of sockets) socket.destroy()
    await Promise.race([ended, timeout()])
  }

  return { pool, close: () => (closed ??= close()) }
}

/** Throws PostgreSQL's own error of a write where the server takes none. */
async function assertWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'off') return
  const refused = new DatabaseError('the server takes no writes: it is a replica, or set read-only', 0, 'error')
  throw Object.assign(refused, { code: readOnlyCode })
}
