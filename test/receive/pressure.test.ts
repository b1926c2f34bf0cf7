import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createPressure } from '../../src/receive/pressure.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, signToken } from '../support/webhook.ts'

let gateway: TestGateway | undefined
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await gateway?.destroy()
  gateway = undefined
})

/** A sender that is verified and then keeps its body to itself. */
async function sendSlowly(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  const head = ['POST /webhooks HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 1000']
  socket.write(`${[...head, `x-webhook-secret: ${await signToken()}`].join('\r\n')}\r\n\r\n{"half":`)
  return socket
}

it('turns deliveries away with 503 and Retry-After while too many are in hand, and takes them again afterwards', async () => {
  gateway = await startTestGateway({}, { ROLE: 'receiver', MAX_IN_FLIGHT: '5' })
  const { url } = gateway
  for (let n = 0; n < 5; n += 1) await sendSlowly(url)
  const refused = await until('turned away', async () => {
    const answer = await deliver(url, envelope({ id: 'pa_req_1' }))
    return answer.status === 503 && answer
  })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: { code: 'too_many_in_flight' } })
  for (const socket of sockets.splice(0)) socket.destroy()
  await until('taken again', async () => (await deliver(url, envelope({ id: 'pa_req_2' }))).status === 202)
})

it(
  'goes on receiving beside thousands of connections that send slowly, in little memory',
  { timeout: 60_000 },
  async () => {
    gateway = await startTestGateway({}, { ROLE: 'receiver', MAX_IN_FLIGHT: '100000' })
    const { url } = gateway
    const before = process.memoryUsage().rss
    for (let batch = 0; batch < 20; batch += 1) await Promise.all(Array.from({ length: 100 }, () => sendSlowly(url)))
    expect((await deliver(url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
    // Both ends of 2,000 connections live in this process.
    expect((process.memoryUsage().rss - before) / 2_000).toBeLessThan(150_000)
  },
)

it('turns deliveries away while every turn of the event loop takes seconds, and takes them again afterwards', async () => {
  const pressure = createPressure({ maxInFlight: 10, folder: undefined })
  for (let turn = 0; turn < 2; turn += 1) {
    const end = performance.now() + 2_200
    while (performance.now() < end);
    await sleep(1)
  }
  expect(pressure.enter()).toBe('event_loop_late')
  await until('taken again', () => pressure.enter() === undefined)
  pressure.close()
})

it('counts what leaves, and knows when the disk is nearly full', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-pressure-'))
  const pressure = createPressure({ maxInFlight: 1, folder })
  expect(pressure.enter()).toBeUndefined()
  expect(pressure.enter()).toBe('too_many_in_flight')
  pressure.leave()
  expect(pressure.enter()).toBeUndefined()
  pressure.close()
  await rm(folder, { recursive: true })
})
