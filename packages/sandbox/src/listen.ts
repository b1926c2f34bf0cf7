import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Express } from 'express'

export interface Listener {
  url: string
  close(): Promise<void>
}

/** How long an idle connection stays open: the same as for pawl's own listeners (`base/net/server.ts`). */
const keepAliveMs = 65_000

/** Serves the app on a port of a host, 0 for a free one; rejects if the port is in use. `close` drops open connections. */
export function listen(app: Express, { port, host }: { port: number; host: string }): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const server: Server = app.listen(port, host, (error?: Error) => {
      if (error !== undefined) {
        reject(error)
        return
      }
      // Node's default is 5 s: a process that stalls longer could close a connection just as a request arrives.
      server.keepAliveTimeout = keepAliveMs
      // A server on a port has an address object; the type also allows pipes.
      const { port: boundPort } = server.address() as AddressInfo
      let closing: Promise<void> | undefined
      const close = () => (closing ??= stop(server))
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`, close })
    })
  })
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
