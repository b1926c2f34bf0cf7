import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { numberOf, priorAuthorization, type State } from './envelopes.ts'

/** A played service. */
export interface PlayedApi {
  server: Server
  /** GETs that it answered. */
  reads(): number
}

/** Answers GET of any of the benchmarks' PAs at once, in the state that it is told. */
export function createPlayedApi(stateOf: (pa: number, reads: number) => State): PlayedApi {
  let reads = 0
  const server = createServer((req, res) => {
    const pa = numberOf((req.url ?? '').replace('/prior-authorization/', ''))
    reads += 1
    const body = Buffer.from(JSON.stringify({ status: 'success', data: priorAuthorization(stateOf(pa, reads)) }))
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    res.end(body)
  })
  // It never hangs up on a client that is just about to ask again, which would cost some contenders a job.
  server.keepAliveTimeout = 0
  return { server, reads: () => reads }
}

/** The same in this process, so that a scenario decides the states as it goes on. */
export async function startPlayedApi(stateOf: (pa: number) => State) {
  const { server, reads } = createPlayedApi(stateOf)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server that listens
  return {
    url: `http://127.0.0.1:${port}`,
    reads,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
