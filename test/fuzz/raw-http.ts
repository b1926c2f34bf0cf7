import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes for one connection, in the pieces in which they are written. */
export interface Wire {
  pieces: readonly Buffer[]
  /** Pause after each piece, in milliseconds. */
  pauseMs: number
  /** A sender who ends its side so soon after the last piece, in milliseconds; undefined: not before the other side does. */
  endsAfterMs?: number
}

/** No answer and no end of the connection within this is a hang; longer than every limit of the servers. */
const hangsAfterMs = 90_000

/** Writes the pieces and resolves with all that came back once the other side has ended, too. Throws when it never does. */
export async function exchangeRaw(url: string, { pieces, pauseMs, endsAfterMs }: Wire): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  // A server that cuts the connection has answered in its way.
  socket.on('error', () => {}).on('data', (chunk) => chunks.push(chunk))
  const closed = new Promise<true>((resolve) => socket.once('close', () => resolve(true)))
  for (const piece of pieces) {
    if (!socket.writable) break
    socket.write(piece)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  // At the end of one side Node ends the other, even with an answer pending.
  if (endsAfterMs !== undefined) void sleep(endsAfterMs).then(() => socket.end())
  const limit = new AbortController()
  const isClosed = await Promise.race([closed, sleep(hangsAfterMs, false, { signal: limit.signal }).catch(() => false)])
  limit.abort()
  socket.destroy()
  if (!isClosed) throw new Error(`the server neither answered nor closed within ${hangsAfterMs} ms`)
  return Buffer.concat(chunks).toString('latin1')
}

/** The status of every answer that came over one connection; `100 Continue` is none. */
export function statusesOf(answers: string): number[] {
  return [...answers.matchAll(/^HTTP\/1\.1 ([2-5]\d\d) /gm)].map(([, status]) => Number(status))
}

/** One request as text, with a length that fits unless the headers say otherwise. */
export function requestText(
  head: { method?: string; path: string; headers?: Record<string, string> },
  body: Buffer | string = '',
): Buffer {
  const bytes = Buffer.from(body)
  const headers = { host: '127.0.0.1', 'content-length': String(bytes.length), connection: 'close', ...head.headers }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = [`${head.method ?? 'POST'} ${head.path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(text, 'latin1'), bytes])
}

/** All of it at once. */
export const atOnce = (...pieces: Buffer[]): Wire => ({ pieces: [Buffer.concat(pieces)], pauseMs: 0 })
