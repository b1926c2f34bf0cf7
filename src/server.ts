import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A listening HTTP server. */
export interface RunningServer {
  /** `http://host:port`. */
  url: string
  /** Takes no new connections, lets requests in hand finish for at most `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Starts an HTTP server whose time limits keep slow senders from piling up. Rejects when the address cannot be had. */
export async function startServer(
  listener: RequestListener,
  at: { host: string; port: number },
): Promise<RunningServer> {
  const inHand = new Set<ServerResponse>()
  let isClosing = false
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 },
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
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(at.port, at.host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  // A TCP server that listens always has such an address.
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

/** A proxy under load sends the next request over the same connection at once: left open, it would never be idle. */
function endConnectionAfter(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close')
}
