import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addressKey } from '../../src/net/address-ranges.ts'
import { type RunningServer, startServer } from '../../src/net/server.ts'
import { until } from '../../../../test/support/until.ts'

const request = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

describe('a server with a limit for each address', () => {
  let server: RunningServer
  let refused = 0
  const sockets: Socket[] = []

  beforeEach(async () => {
    refused = 0
    server = await startServer((_, res) => void res.end('done'), { host: '127.0.0.1', port: 0 }, '', {
      connections: {
        maxPerAddress: 2,
        isExempt: (address) => address === '127.0.0.9',
        onRefused: () => void (refused += 1),
      },
    })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await server.close(0)
  })

  /** Whether a new connection from this address of this machine gets an answer; it stays open. */
  async function isAnswered(localAddress: string): Promise<boolean> {
    const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', localAddress })
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(request)
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }

  it('cuts the third connection of an address, and takes those of others', async () => {
    expect(await isAnswered('127.0.0.1')).toBe(true)
    expect(await isAnswered('127.0.0.1')).toBe(true)
    expect(await isAnswered('127.0.0.1')).toBe(false)
    expect(refused).toBe(1)
    expect(await isAnswered('127.0.0.2')).toBe(true)
  })

  it('takes another as soon as one has ended', async () => {
    await isAnswered('127.0.0.1')
    await isAnswered('127.0.0.1')
    sockets.pop()?.destroy()
    await until('the address may connect again', () => isAnswered('127.0.0.1'))
  })

  it('lets a proxy have any number', async () => {
    for (let n = 0; n < 5; n += 1) expect(await isAnswered('127.0.0.9')).toBe(true)
    expect(refused).toBe(0)
  })
})

it.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['2001:db8::1', '2001:db8:0:0:7::1', true],
  ['::1', '::2', true],
  ['192.0.2.1', '192.0.2.2', false],
])('%s and %s share a limit: %s', (one, other, isShared) => {
  expect(addressKey(one) === addressKey(other)).toBe(isShared)
})
