import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One POST as it came over the wire. */
export interface Received {
  body: string
  token: string
  envelope: { title: string; description: string; event_type: string; data: { id: string; status: string } }
}

export interface Receiver {
  url: string
  received: Received[]
  /** HTTP statuses for the next POSTs, one each; 200 when none is left. `hang` never answers. */
  answers: (number | 'hang')[]
  /** The types received, in order of arrival. */
  types(): string[]
  close(): Promise<void>
}

/** A webhook receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers: Receiver['answers'] = []
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      // The test itself is what checks the shape.
      const envelope = JSON.parse(body) as Received['envelope']
      received.push({ body, token: String(req.headers['x-webhook-secret']), envelope })
      const answer = answers.shift() ?? 200
      if (req.method !== 'POST' || req.headers['content-type'] !== 'application/json') res.writeHead(405).end()
      else if (answer !== 'hang') res.writeHead(answer).end()
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    answers,
    types: () => received.map(({ envelope }) => envelope.event_type),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
