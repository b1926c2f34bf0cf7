import { connect, type Socket } from 'node:net'

/** What one round of load saw. */
export interface LoadResult {
  /** Answers a second. */
  rate: number
  /** Answers by status. */
  statuses: Map<number, number>
}

const headEnd = Buffer.from('\r\n\r\n')

/**
 * Sends ready-made requests over keep-alive connections, one at a time on each, as fast as they are answered. It writes and reads bytes only, so that one
 * core of load keeps any server of these benchmarks busy.
 */
export async function sendAll(port: number, requests: readonly Buffer[], connections: number): Promise<LoadResult> {
  const statuses = new Map<number, number>()
  let next = 0
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, () => work()))
  return { rate: requests.length / ((performance.now() - startedAt) / 1_000), statuses }

  function work(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let pending: Buffer = Buffer.alloc(0)
      socket.on('connect', () => sendNext(socket))
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
        const answer = readAnswer(pending)
        if (answer === undefined) return
        pending = Buffer.alloc(0)
        statuses.set(answer, (statuses.get(answer) ?? 0) + 1)
        sendNext(socket)
      })
      socket.on('close', () => resolve())
    })
  }

  function sendNext(socket: Socket): void {
    const request = requests[next]
    next += 1
    if (request === undefined) socket.destroy()
    else socket.write(request)
  }
}

/** The status of an answer that has come whole. */
function readAnswer(bytes: Buffer): number | undefined {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
  return bytes.length >= end + headEnd.length + length ? Number(head.slice(9, 12)) : undefined
}
