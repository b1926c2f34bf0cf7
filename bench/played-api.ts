import { createServer, type Server } from 'node:http'
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
