import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * What can go wrong with a system. `refusal`: it does not take what it is sent (422). `unavailable`: 503. `unauthorized`: the credentials have expired (401).
 * `limit`: too many requests (429). `silence`: no answer comes. `cut`: the connection ends before anything is done. `lost_answer`: it does what it is
 * asked, and the answer is lost with the connection.
 */
export type Fault = 'refusal' | 'unavailable' | 'unauthorized' | 'limit' | 'silence' | 'cut' | 'lost_answer'

/** One request as the far side got it. */
export interface FarSideRequest {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** What the far side answers; the body is sent as JSON unless it is a string. */
export interface FarSideAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** A system's HTTP server on a free port of 127.0.0.1, which can fail in every way. */
export interface FarSide {
  url: string
  /** What was asked so far, oldest first, failed requests included. */
  requests: readonly FarSideRequest[]
  /** How many of those asked for a change, so all but GET and HEAD. */
  changes(this: void): number
  /** From now on it fails in this way; without a fault, no more. Refusal, silence and lost answers are for requests that ask for a change. */
  fail(this: void, fault?: Fault): void
  /** Connections that are open now. */
  connections(this: void): Promise<number>
  close(this: void): Promise<void>
}

const statuses: Partial<Record<Fault, number>> = { refusal: 422, unavailable: 503, unauthorized: 401, limit: 429 }

const isOfChanges: ReadonlySet<Fault> = new Set(['refusal', 'silence', 'lost_answer'])

/** Starts a far side that answers as `answer` says. Whatever it refuses is quoted in the refusal, as careless systems do. */
export async function startFarSide(
  answer: (request: FarSideRequest) => FarSideAnswer | Promise<FarSideAnswer>,
): Promise<FarSide> {
  const requests: FarSideRequest[] = []
  let fault: Fault | undefined

  async function answerOrFail(request: FarSideRequest): Promise<FarSideAnswer | 'cut' | 'silence'> {
    const applies = asksForChange(request) || fault === undefined || !isOfChanges.has(fault)
    const failure = applies ? fault : undefined
    if (failure === 'cut' || failure === 'silence') return failure
    const status = failure === undefined ? undefined : statuses[failure]
    if (status !== undefined) return { status, body: { message: `${status}: cannot take ${request.body}` } }
    const answered = await answer(request)
    return failure === 'lost_answer' ? 'cut' : answered
  }

  const server = createServer((incoming, response) => {
    void readRequest(incoming)
      .then((request) => {
        requests.push(request)
        return answerOrFail(request)
      })
      .catch((error: unknown): FarSideAnswer => ({ status: 500, body: String(error) }))
      .then((answered) => {
        if (answered === 'cut') incoming.socket.destroy()
        if (typeof answered === 'string') return
        const { status, headers, body = '' } = answered
        response.writeHead(status, { 'content-type': 'application/json', ...headers })
        response.end(typeof body === 'string' ? body : JSON.stringify(body))
      })
  })
  // Only who connected ends a connection, so that one that is left open shows.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return {
    // A server that listens on a port has an address object; the type also knows pipes.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    changes: () => requests.filter(asksForChange).length,
    fail: (next) => void (fault = next),
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readRequest(incoming: IncomingMessage): Promise<FarSideRequest> {
  const { method = '', url: path = '', headers } = incoming
  return { method, path, headers, body: (await buffer(incoming)).toString() }
}

function asksForChange({ method }: FarSideRequest): boolean {
  return method !== 'GET' && method !== 'HEAD'
}
