import { connect, type Socket } from 'node:net'
import { answerReader } from './answer-reader.ts'

/** Result of one round of load. */
export interface LoadResult {
  /** Answers a second. */
  rate: number
  /** Answers by status. */
  statuses: Map<number, number>
  /** Part of one core that this process used meanwhile, 0 to 1: a load that comes near 1 measures itself. */
  clientLoad: number
}

export interface LoadOptions {
  /** Sends nothing more after this time, in milliseconds. Default: until all is sent. */
  longestMs?: number
  /** Told the index of each request just before it is sent. */
  onSend?: (index: number) => void
}

/**
 * Sends ready-made requests over keep-alive connections, one at a time on each, as fast as they are answered; several ports take turns. It writes and reads
 * bytes only, so that one core of load keeps any server of these benchmarks busy.
 */
export async function sendAll(
  port: number | readonly number[],
  requests: readonly Buffer[],
  connections: number,
  { longestMs = Infinity, onSend }: LoadOptions = {},
): Promise<LoadResult> {
  const ports = typeof port === 'number' ? [port] : port
  const statuses = new Map<number, number>()
  let next = 0
  let answers = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: connections }, (_, index) => work(ports[index % ports.length] ?? 0)))
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return { rate: answers / (elapsedMs / 1_000), statuses, clientLoad: (user + system) / 1_000 / elapsedMs }

  function work(to: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(to, '127.0.0.1')
      const read = answerReader()
      let isWaiting = false
      const sendNext = () => {
        isWaiting = send(socket)
      }
      socket.setNoDelay(true)
      socket.on('connect', sendNext)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        const answer = read(chunk)
        if (answer === undefined) return
        answers += 1
        statuses.set(answer, (statuses.get(answer) ?? 0) + 1)
        sendNext()
      })
      socket.on('close', () => (isWaiting ? reject(new Error('The server hung up before it answered.')) : resolve()))
    })
  }

  /** False when there is nothing left to send. */
  function send(socket: Socket): boolean {
    const request = performance.now() - startedAt < longestMs ? requests[next] : undefined
    if (request === undefined) {
      socket.destroy()
      return false
    }
    onSend?.(next)
    next += 1
    socket.write(request)
    return true
  }
}
