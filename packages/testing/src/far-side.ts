import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/**
 * How a system can fail. `refusal`: it rejects the request (422). `unavailable`: 503. `unauthorized`: the credentials have expired (401).
 * `limit`: too many requests (429). `silence`: no answer comes. `cut`: the connection ends before the request takes effect. `lost_answer`:
 * the request takes effect, and the answer is lost with the connection.
 */
export type Fault = 'refusal' | 'unavailable' | 'unauthorized' | 'limit' | 'silence' | 'cut' | 'lost_answer'

/** One request as the far side received it. */
export interface FarSideRequest {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** An answer of the far side; sends the body as JSON unless it is a string or bytes. */
export interface FarSideAnswer {
  status: number
  headers?: Record<string, string>
  body?: unknown
}

/** Answers a request, or fails it alone. */
export type AnswerRequest = (
  request: FarSideRequest,
) => FarSideAnswer | 'cut' | 'silence' | Promise<FarSideAnswer | 'cut' | 'silence'>

/** A system's HTTP server on a free port of 127.0.0.1, which can produce every fault. */
export interface FarSide {
  url: string
  /** Requests so far, oldest first, failed ones included. */
  requests: readonly FarSideRequest[]
  /** Number of changing requests: all except GET and HEAD. */
  changes(this: void): number
  /** Makes the server fail in this way from now on; without a fault, recover. Refusal, silence and lost answers affect changing requests only. */
  fail(this: void, fault?: Fault): void
  /** Number of open connections. */
  connections(this: void): Promise<number>
  close(this: void): Promise<void>
}

const statuses: Partial<Record<Fault, number>> = { refusal: 422, unavailable: 503, unauthorized: 401, limit: 429 }

const isOfChanges: ReadonlySet<Fault> = new Set(['refusal', 'silence', 'lost_answer'])

/** Starts a far side that answers as `answer` says, on a free port unless the test gives one. A refusal quotes the request, as careless systems do. */
export async function startFarSide(answer: AnswerRequest, port = 0): Promise<FarSide> {
  const requests: FarSideRequest[] = []
  let fault: Fault | undefined

  async function answerOrFail(request: FarSideRequest): Promise<FarSideAnswer | 'cut' | 'silence'> {
    const applies = asksForChange(request) || fault === undefined || !isOfChanges.has(fault)
    const failure = applies ? fault : undefined
    if (failure === 'cut' || failure === 'silence') return failure
    const status = failure === undefined ? undefined : statuses[failure]
    if (status !== undefined) return { status, body: { message: `${status}: cannot accept ${request.body}` } }
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
        response.end(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
      })
  })
  // Only the client ends a connection, so a leaked one shows.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  return {
    // A server on a port has an address object; the type also allows pipes.
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
