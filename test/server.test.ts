import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../src/server.ts'

let server: RunningServer
let agent: Agent
afterEach(async () => {
  agent.destroy()
  await server.close(0)
})

async function ask(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url, { agent }), 'response')) as [IncomingMessage] // what this event carries
  response.resume()
  await once(response, 'end')
  return response
}

describe('a server that stops', () => {
  it('lets go of a proxy that sends one request after the other over a kept connection', async () => {
    agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let asked = 0
    let closed: Promise<void> | undefined
    const listener = (_: unknown, res: ServerResponse) => {
      asked += 1
      // While a request is in hand: between two of them the connection would be idle.
      if (asked === 3) closed = server.close(60_000)
      res.end('done')
    }
    server = await startServer(listener, { host: '127.0.0.1', port: 0 })
    await expect(
      (async () => {
        for (;;) await ask(server.url)
      })(),
    ).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    expect(asked).toBe(3)
    await closed
  })

  it('finishes a request in hand, and says with its answer that the connection ends', async () => {
    agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const held: ServerResponse[] = []
    server = await startServer((_, res) => void held.push(res), { host: '127.0.0.1', port: 0 })
    const answer = ask(server.url)
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    const closed = server.close(60_000)
    held[0]?.end('done')
    expect((await answer).headers.connection).toBe('close')
    await closed
  })
})
