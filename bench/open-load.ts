import { connect, type Socket } from 'node:net'
import { answerReader } from './answer-reader.ts'
import { monotonicMs } from './monotonic.ts'

/** Result of one request of an open loop. */
export interface Offered {
  /** When it was due to go out, by `monotonicMs`. */
  dueAt: number
  /** Milliseconds from then to its answer. */
  answeredAfterMs: number
}

interface Connection {
  socket: Socket
  current: number | undefined
}

/**
 * Offers `perSecond` requests a second whether or not earlier ones were answered, and counts each one's time from the moment it was due, so that a server
 * which stalls is charged for all that came due meanwhile (no coordinated omission). A request that finds no free connection waits for one, on the clock.
 */
export async function sendAtRate(
  port: number,
  requests: readonly Buffer[],
  { perSecond, connections }: { perSecond: number; connections: number },
): Promise<Offered[]> {
  const results: Offered[] = []
  const waiting: number[] = []
  const pool = new Set<Connection>()
  const startAt = monotonicMs() + 50
  const dueAt = (index: number) => startAt + (index * 1_000) / perSecond
  let next = 0
  let finish: () => void = () => {}
  let fail: (error: Error) => void = () => {}
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve
    fail = reject
  })
  for (let n = 0; n < connections; n += 1) open()
  offer()
  await finished
  for (const { socket } of pool) socket.destroy()
  return results

  function open(): void {
    const socket = connect(port, '127.0.0.1')
    const connection: Connection = { socket, current: undefined }
    const read = answerReader()
    socket.setNoDelay(true)
    socket.on('error', fail)
    socket.on('data', (chunk) => {
      const status = read(chunk)
      if (status !== undefined) take(connection, status)
    })
    // Servers close connections that were idle for a while; what was sent just then goes out again, on the same clock.
    socket.on('close', () => {
      pool.delete(connection)
      if (connection.current !== undefined) waiting.unshift(connection.current)
      if (results.length === requests.length && waiting.length === 0) return
      open()
      sendWaiting()
    })
    pool.add(connection)
  }

  /** Sends all that has come due, then sleeps until the next. */
  function offer(): void {
    while (next < requests.length && dueAt(next) <= monotonicMs()) {
      waiting.push(next)
      next += 1
    }
    sendWaiting()
    if (next < requests.length) setTimeout(offer, Math.max(0, dueAt(next) - monotonicMs()))
  }

  function sendWaiting(): void {
    for (const connection of pool) if (connection.current === undefined) sendNext(connection)
  }

  function sendNext(connection: Connection): void {
    const index = waiting.shift()
    const request = index === undefined ? undefined : requests[index]
    if (request === undefined) return
    connection.current = index
    connection.socket.write(request)
  }

  function take(connection: Connection, status: number): void {
    if (connection.current === undefined) return
    if (status > 299) fail(new Error(`An answer had status ${status}: this measures nothing.`))
    const due = dueAt(connection.current)
    results[connection.current] = { dueAt: due, answeredAfterMs: monotonicMs() - due }
    connection.current = undefined
    sendNext(connection)
    // Holes, for what is still under way, do not count in an array's own keys.
    if (next === requests.length && waiting.length === 0 && [...pool].every(({ current }) => current === undefined))
      finish()
  }
}
