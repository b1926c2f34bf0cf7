import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { DiskRoom } from '../../packages/ledger/src/upkeep/disk-room.ts'
import { createPressure, memoryPerByte, type Pressure } from '../../src/receive/pressure.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import type { PawlProcess } from '../support/spawn-pawl.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, signToken } from '../support/webhook.ts'
import { mounts, startReceiverStand } from './receiver-stand.ts'
import { goodBody, post } from './signed-requests.ts'

let gateway: LocalGateway | undefined
const sockets: Socket[] = []

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await gateway?.destroy()
  gateway = undefined
})

/** A sender that is verified and then keeps its body to itself. */
async function sendSlowly(url: string, token?: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  sockets.push(socket)
  await once(socket, 'connect')
  // A sender that is slow for too long is cut.
  socket.on('error', () => {})
  const head = ['POST /webhooks HTTP/1.1', 'host: x', 'content-type: application/json', 'content-length: 1000']
  socket.write(`${[...head, `x-webhook-secret: ${token ?? (await signToken())}`].join('\r\n')}\r\n\r\n{"half":`)
  return socket
}

it('a receiver turns deliveries away with 503 and Retry-After while too many are in progress, and accepts them again afterwards', async () => {
  gateway = await startLocalGateway({}, { ROLE: 'receiver', MAX_IN_FLIGHT: '5' })
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

it('a receiver turns deliveries away while too many bytes are in progress, and accepts them again afterwards', async () => {
  gateway = await startLocalGateway({}, { ROLE: 'receiver', MAX_IN_FLIGHT_BYTES: '48000', MAX_BODY_BYTES: '8000' })
  const { url } = gateway
  // Each leaves room for itself alone.
  const large = (id: string) => deliver(url, envelope({ id, text: 'x'.repeat(7_400) }))
  expect((await large('pa_req_1')).status).toBe(202)
  const slow = await sendSlowly(url)
  slow.write('x'.repeat(900))
  const refused = await until('turned away', async () => {
    const answer = await large('pa_req_2')
    return answer.status === 503 && answer
  })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: { code: 'too_many_in_flight' } })
  expect((await deliver(url, envelope({ id: 'pa_req_small' }))).status).toBe(202)
  slow.destroy()
  await until('taken again', async () => (await large('pa_req_2')).status === 202)
})

it('a receiver cuts a sender whose body is late, however steadily it drips, and accepts another instead', async () => {
  const stand = await startReceiverStand(mounts["pawl's own server"], Date.now, {
    bodyTimeoutMs: 2_000,
    maxInFlight: 1,
  })
  const slow = await sendSlowly(stand.url)
  let answered = ''
  slow.on('data', (text) => (answered += String(text)))
  const drip = setInterval(() => slow.write(' '), 20)
  await until('counted as in hand', async () => (await post(stand.url, goodBody)).status === 503)
  await until('cut', () => slow.closed, 10_000)
  clearInterval(drip)
  expect(answered).toContain('408')
  expect(answered).toContain('body_too_slow')
  expect((await post(stand.url, goodBody)).status).toBe(202)
  await stand.destroy()
})

/** Number of connections that may be open here, besides this process's own files: Node itself goes up to the hard limit. */
function connectionsToOpen(wanted: number): number {
  const limit = Number(spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout)
  const count = Number.isNaN(limit) ? wanted : Math.min(wanted, limit - 1_000)
  if (count < wanted) process.stderr.write(`only ${count} slow connections: the limit of open files is ${limit}\n`)
  return count
}

/** Resident memory of another process, in bytes. */
const residentBytes = ({ child: { pid } }: PawlProcess) =>
  Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1_024

describe('a receiver in a process of its own', () => {
  let pawls: PawlProcesses
  let pawl: PawlProcess
  let url: string

  async function start(env: Record<string, string> = {}): Promise<void> {
    pawls = await preparePawl({ ROLE: 'receiver', MAX_IN_FLIGHT: '100000' })
    url = pawls.url
    pawl = await pawls.start(env)
  }
  afterEach(() => pawls.close())

  it('serves deliveries beside 10,000 slow connections, in constant memory', async () => {
    await start()
    const count = connectionsToOpen(10_000)
    const token = await signToken()
    // The service, too, sends again what a loaded machine turned away.
    const isTaken = (id: string) =>
      until(`${id} is taken`, async () => (await deliver(url, envelope({ id }))).status === 202)
    await isTaken('pa_req_before')
    const before = residentBytes(pawl)
    // No more at once than the server has room for in its queue.
    while (sockets.length < count) await Promise.all(Array.from({ length: 100 }, () => sendSlowly(url, token)))
    await isTaken('pa_req_beside')
    const beside = residentBytes(pawl)
    expect((beside - before) / count).toBeLessThan(50_000)
    for (let n = 0; n < 5; n += 1) {
      for (const socket of sockets) socket.write(' ')
      await isTaken(`pa_req_${n}`)
    }
    expect((residentBytes(pawl) - beside) / count).toBeLessThan(10_000)
  })

  it.each([
    {
      name: 'lists within one another',
      filler: `${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}`,
      code: 'json_too_deep',
    },
    { name: 'empty lists', filler: `[${'[],'.repeat(1_300_000)}[]]`, code: 'json_too_many_values' },
  ])('refuses bodies of 4 MB of $name whose values would exceed the heap', async ({ filler, code }) => {
    await start({ NODE_OPTIONS: '--max-old-space-size=80' })
    const body = `{"event_type":"prior_authorization.message","data":{"id":"pa_req_1","filler":${filler}}}`
    for (let n = 0; n < 3; n += 1) {
      const answer = await deliver(url, body)
      expect([answer.status, await answer.json()]).toEqual([400, { error: { code, message: expect.any(String) } }])
    }
    expect((await deliver(url, envelope({ id: 'pa_req_after' }))).status).toBe(202)
  })
})

const isTaken = (pressure: Pressure) => {
  try {
    pressure.enter().leave()
    return true
  } catch {
    return false
  }
}

it('a receiver turns deliveries away while the event loop stalls for seconds, and accepts them again afterwards', async () => {
  const pressure = createPressure({ maxInFlight: 10, maxInFlightBytes: 10, readDiskRoom: undefined })
  for (let turn = 0; turn < 2; turn += 1) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200)
    await sleep(1)
  }
  expect(() => pressure.enter()).toThrow(expect.objectContaining({ code: 'event_loop_late' }))
  await until('taken again', () => isTaken(pressure))
  pressure.close()
})

it('a receiver frees the count and bytes of finished deliveries', () => {
  const pressure = createPressure({ maxInFlight: 2, maxInFlightBytes: 10 * memoryPerByte, readDiskRoom: undefined })
  const [first, second] = [pressure.enter(), pressure.enter()]
  expect(() => pressure.enter()).toThrow(expect.objectContaining({ code: 'too_many_in_flight' }))
  expect([first.reserve(6), second.reserve(6), second.reserve(4)]).toEqual([true, false, true])
  first.leave()
  const third = pressure.enter()
  expect([third.reserve(7), third.reserve(6)]).toEqual([false, true])
  second.leave()
  expect(third.reserve(100)).toBe(true)
  pressure.close()
})

it('a receiver refuses a body whose fields and elements would exceed the memory left', () => {
  const pressure = createPressure({ maxInFlight: 2, maxInFlightBytes: 1_000_000, readDiskRoom: undefined })
  const [first, second] = [pressure.enter(), pressure.enter()]
  first.reserveValues(9_000)
  expect(() => second.reserveValues(9_000)).toThrow(expect.objectContaining({ code: 'too_many_in_flight' }))
  first.leave()
  second.reserveValues(9_000)
  pressure.close()
})

it('a receiver turns deliveries away while the disk is nearly full', async () => {
  let state: DiskRoom['state'] = 'full'
  const readDiskRoom = () => Promise.resolve({ freeBytes: 1, state })
  const pressure = createPressure({ maxInFlight: 2, maxInFlightBytes: 10, readDiskRoom })
  await until('the disk was asked', () => !isTaken(pressure))
  expect(() => pressure.enter()).toThrow(expect.objectContaining({ code: 'disk_full' }))
  state = 'low'
  await until('there is room again', () => isTaken(pressure))
  pressure.close()
})
