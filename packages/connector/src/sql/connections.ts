import { Pool } from 'tarn'
import type { Connection } from './dialect.ts'

/** A small pool of connections to one database; idle ones are closed. */
export interface Connections {
  /** Lends a connection until `use` settles; if `signal` aborts first, or the server cannot be used, the connection is cut. Rejects as `use` does, or with the signal's reason. */
  lend<T>(signal: AbortSignal, use: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

interface Lane {
  connection: Connection
  isCut: boolean
}

/** Pools at most two connections, which `connect` makes on demand. `isOfServer`: whether an error concerns the server, such as a read-only replica; the next connection may reach another. */
export function createConnections(
  connect: () => Promise<Connection>,
  isOfServer: (error: unknown) => boolean,
): Connections {
  const pool = new Pool<Lane>({
    min: 0,
    max: 2,
    propagateCreateError: true,
    create: async () => ({ connection: await connect(), isCut: false }),
    validate: ({ isCut }) => !isCut,
    destroy: ({ connection, isCut }) => (isCut ? undefined : connection.end()),
  })

  return {
    async lend(signal, use) {
      signal.throwIfAborted()
      const asked = pool.acquire()
      const lane = await orAborted(asked.promise, signal).catch((error: unknown) => {
        // The connection may still come; aborting the acquire could leak it.
        asked.promise.then(
          (late) => pool.release(late),
          () => {},
        )
        throw error
      })
      try {
        return await orAborted(use(lane.connection), signal)
      } catch (error) {
        lane.isCut = isOfServer(error)
        throw error
      } finally {
        lane.isCut ||= signal.aborted
        if (lane.isCut) lane.connection.cut()
        pool.release(lane)
      }
    },
    close: async () => void (await pool.destroy()),
  }
}

/** The promise, unless the signal aborts first. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
