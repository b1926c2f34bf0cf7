import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describeError, PawlError } from '../errors.ts'
import { type ConnectionLimit, limitConnections } from './limit-connections.ts'

/** The process cannot listen on the configured address. */
export class ListenFailed extends PawlError {
  readonly code = 'listen_failed'
}

/** A listening HTTP server. */
export interface RunningServer {
  /** `http://host:port`. */
  url: string
  /** Takes no new connections, gives requests in flight at most `graceMs` to finish, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** The limit on all connections of a listener. */
export interface TotalLimit {
  max: number
  /** Called for each refused connection, which is cut unread. */
  onRefused(this: void): void
}

/**
 * Starts an HTTP server whose time limits keep slow senders from piling up. Throws `ListenFailed`, which names the settings of the address
 * (`prefix` and HOST or PORT). `onUnreadable` is called for input that never became a request: headers too long or too slow, or no HTTP.
 * Without `connections`, connections per address are unlimited; without `total`, so are all together.
 */
export async function startServer(
  listener: RequestListener,
  at: { host: string; port: number },
  prefix: '' | 'ADMIN_' = '',
  {
    onUnreadable = () => {},
    connections,
    total,
  }: { onUnreadable?: (code: string) => void; connections?: ConnectionLimit; total?: TotalLimit } = {},
): Promise<RunningServer> {
  const inHand = new Set<ServerResponse>()
  let isClosing = false
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 5_000, keepAliveTimeout: 65_000 },
    (req, res) => {
      inHand.add(res)
      res.once('close', () => {
        inHand.delete(res)
        if (isClosing) server.closeIdleConnections()
      })
      if (isClosing) endConnectionAfter(res)
      listener(req, res)
    },
  )
  if (connections !== undefined) limitConnections(server, connections)
  if (total !== undefined) {
    server.maxConnections = total.max
    server.on('drop', total.onRefused)
  }
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { code = '' } = error
    const status = unreadable[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined)
    const inHandThere = [...inHand].filter((res) => res.req.socket === socket)
    if (status !== undefined && inHandThere.length === 0) onUnreadable(code)
    if (status !== undefined && socket.writable && inHandThere.every((res) => !res.headersSent))
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    else socket.destroy(error)
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: Error) => reject(new ListenFailed(reasonOf(cause, at, prefix), { cause }))
    server.once('error', fail)
    server.listen(at.port, at.host, () => {
      server.off('error', fail)
      resolve()
    })
  })
  // A listening TCP server always has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`,
    async close(graceMs) {
      isClosing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      for (const res of inHand) endConnectionAfter(res)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearTimeout(cut)
    },
  }
}

/** Answers to input that Node could not parse; all other parser errors are 400. */
const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

function reasonOf(cause: Error, { host, port }: { host: string; port: number }, prefix: string): string {
  const { code } = describeError(cause)
  const where = `port ${port} of ${host} (${prefix}HOST, ${prefix}PORT)`
  if (code === 'EADDRINUSE')
    return `something else listens on ${where}: end it, or set ${prefix}PORT to another port, or to 0 for a free one.`
  if (code === 'EACCES') return `this user may not listen on ${where}: set ${prefix}PORT to a port of 1024 or more.`
  return `cannot listen on ${where}: set ${prefix}HOST to an address of this machine.`
}

/** Closes the connection after this answer: a proxy under load reuses it at once, so it would never be idle. */
function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}
