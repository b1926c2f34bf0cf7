import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolConfig } from 'pg'

/** Connections to one PostgreSQL. */
export interface PostgresPool {
  pool: Pool
  /** Ends every connection in bounded time, by force if PostgreSQL does not answer. */
  close(this: void): Promise<void>
}

/** Time limit of the queries in hand, and again of closing the connections, in milliseconds. */
const closeTimeoutMs = 2_000

/** Makes a pool that connects on demand. The caller must listen to the pool's `error`. */
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
  // A borrowed connection may break between two queries, when it has no listener: the next query reports it.
  pool.on('connect', (client) => void client.on('error', () => {}))
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
