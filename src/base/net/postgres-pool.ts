import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolConfig } from 'pg'

/** Connections to one PostgreSQL. */
export interface PostgresPool {
  pool: Pool
  /** Ends every connection, by force where PostgreSQL does not answer: comes back in bounded time. */
  close(this: void): Promise<void>
}

/** How long queries in hand, and then the closing of the connections, may take, in milliseconds. */
const closeTimeoutMs = 2_000

/** Prepares connections that are made when needed. Somebody must listen to the pool's `error`. */
export function openPostgresPool(config: PoolConfig): PostgresPool {
  const sockets = new Set<Socket>()
  const pool = new Pool({
    keepAlive: true,
    ...config,
    stream() {
      const socket = new Socket()
      sockets.add(socket.once('close', () => sockets.delete(socket)))
      return socket
    },
  })
  // A connection may break while somebody holds it between two queries: the next query says so, and nobody listens now.
  pool.on('connect', (client) => void client.on('error', () => {}))
  let closed: Promise<void> | undefined

  async function close(): Promise<void> {
    const ended = pool.end()
    const timeout = () => sleep(closeTimeoutMs, undefined, { ref: false })
    await Promise.race([ended, timeout()])
    // A server that hangs never closes its side, and its sockets would keep this process alive.
    for (const socket of sockets) socket.destroy()
    await Promise.race([ended, timeout()])
  }

  return { pool, close: () => (closed ??= close()) }
}
