import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError, Pool, type PoolClient, type PoolConfig } from 'pg'

/** Connections to one PostgreSQL. */
export interface PostgresPool {
  pool: Pool
  /** Ends every connection in bounded time, by force if PostgreSQL does not answer. */
  close(this: void): Promise<void>
}

/** Time limit for running queries, and again for closing the connections, in milliseconds. */
const closeTimeoutMs = 2_000

/** SQLSTATE of a write that a replica or a read-only server refuses. */
export const readOnlyCode = '25006'
/** Errors of the server, not of the statement: it is read-only, or it shuts down. */
const isOfServer = (code: string | undefined) => code === readOnlyCode || code?.startsWith('57P') === true

/**
 * Makes a pool that connects on demand. The caller must listen to the pool's `error`.
 * Its connections accept writes, unless `mayBeReadOnly`: a replica is refused with SQLSTATE 25006, as by libpq with `target_session_attrs=read-write`.
 * A connection whose server turns read-only is not reused.
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
    // A borrowed connection has no listener of its own, and may break between two queries; the next query reports it.
    client.on('error', () => {})
    client.connection.on('errorMessage', ({ code }: DatabaseError) => void (isOfServer(code) && spent.add(client)))
  })
  // The pool drops a connection that is ending.
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

/** Throws PostgreSQL's own error for a write if the server is read-only. */
async function assertWritable(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only')
  if (rows[0]?.transaction_read_only === 'off') return
  const refused = new DatabaseError('the server takes no writes: it is a replica, or set read-only', 0, 'error')
  throw Object.assign(refused, { code: readOnlyCode })
}
