import { once } from 'node:events'
import { connect } from 'node:net'
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../../src/net/server.ts'

let server: RunningServer
let agent: Agent
beforeEach(() => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 })
})
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

describe('input that is no request', () => {
  const heard: string[] = []
  beforeEach(async () => {
    heard.length = 0
    const listener = (req: IncomingMessage, res: ServerResponse) => {
      req.resume().on('end', () => res.end('done'))
    }
    server = await startServer(listener, { host: '127.0.0.1', port: 0 }, '', {
      onUnreadable: (code) => void heard.push(code),
    })
  })

  async function send(text: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('latin1')
    let answer = ''
    socket.on('data', (part: string) => (answer += part)).on('error', () => {})
    socket.write(text)
    await once(socket, 'close')
    return answer
  }

  it.each([
    [
      'headers too long',
      `POST / HTTP/1.1\r\nX-Webhook-Secret: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      ['HPE_HEADER_OVERFLOW'],
    ],
    ['no HTTP', 'hello\r\n\r\n', 400, ['HPE_INVALID_METHOD']],
    [
      'a request whose body is broken',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      [],
    ],
  ])('%s is answered and told of once', async (_, text, status, told) => {
    expect(await send(text)).toContain(`HTTP/1.1 ${status} `)
    expect(heard).toEqual(told)
  })
})
