import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  /** Path and query. */
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface Answered {
  status: number
  body: string
  contentType?: string
  headers?: Record<string, string>
}

/** An HTTP server on a free port of 127.0.0.1 that answers as the test says. */
export interface AnsweringServer {
  url: string
  close(): Promise<void>
}

/** `undefined` cuts the connection instead of answering. `port` 0 (default) takes a free one. */
export async function startAnsweringServer(
  answer: (asked: Asked) => Answered | undefined | Promise<Answered | undefined>,
  wantedPort = 0,
): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      void Promise.resolve(answer({ method, path, headers, body: Buffer.concat(chunks).toString() })).then(
        (given) => {
          if (given === undefined) request.socket.destroy()
          else
            response
              .writeHead(given.status, { 'content-type': given.contentType ?? 'application/json', ...given.headers })
              .end(given.body)
          // An error in the test's own answer, as while servers close, reads like an outage.
        },
        () => request.socket.destroy(),
      )
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(wantedPort, '127.0.0.1', resolve))
  // A server that listens on a port has an address object; the type also knows pipes.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
