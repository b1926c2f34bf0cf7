import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signToken } from '../support/webhook.ts'
import { until } from '../support/until.ts'
import { type ReceiverStand, maxBodyBytes, mounts, startReceiverStand } from './receiver-stand.ts'
import { refusals } from './refusals.ts'
import { goodBody, post } from './signed-requests.ts'

let stand: ReceiverStand
let sent = 0

/** Proves that the receiver is unharmed. */
async function expectWorking(): Promise<void> {
  const { status } = await post(stand.url, goodBody.replace('processing', `processing-${++sent}`))
  expect(status).toBe(202)
}

function expectRefused(reason: string, status: number): void {
  expect(stand.log.lines()).toMatchObject([
    { level: 'warn', msg: expect.stringMatching(/^delivery refused/), reason, status },
  ])
  expect(stand.noted).toEqual([reason])
  expect(stand.counted).toEqual([`refused ${reason}`])
  expect(stand.enqueued).toEqual([])
}

/** Counts of the ledger, without ages. */
async function readTotals() {
  return { ...(await stand.ledger.counts()), oldestDueMs: undefined }
}

function clear(): void {
  stand.log.clear()
  for (const list of [stand.noted, stand.counted, stand.enqueued]) list.length = 0
}

describe.each(Object.entries(mounts))('a receiver in %s refuses', (_, mount) => {
  beforeAll(async () => {
    stand = await startReceiverStand(mount)
  })
  beforeEach(clear)
  afterAll(() => stand.destroy())

  it.each(refusals)('$name: $status $code', async ({ send, status, code, headers = {} }) => {
    const before = await readTotals()
    const answer = await send(stand.url)
    expect(answer).toMatchObject({ status, headers, body: { error: { code } } })
    expectRefused(code, status)
    expect(await readTotals()).toEqual(before)
    await expectWorking()
  })

  it('a body cut off by the sender, with one log line', async () => {
    const { hostname, port } = new URL(stand.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = `host: x\r\ncontent-type: application/json\r\nx-webhook-secret: ${await signToken()}`
    socket.write(`POST /webhooks HTTP/1.1\r\n${head}\r\ncontent-length: 1000\r\n\r\n${goodBody}`)
    socket.end()
    await once(socket.resume(), 'close')
    await until('the refusal is logged', () => stand.noted.length > 0)
    expectRefused('body_incomplete', 400)
    await expectWorking()
  })

  it('one delivery, and accepts the next on the same connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const big = Buffer.alloc(maxBodyBytes, ' ')
    const refused = await post(stand.url, big, { 'x-webhook-secret': 'none' }, { agent })
    expect(refused.status).toBe(401)
    const { status } = await post(stand.url, `${goodBody} `, {}, { agent })
    agent.destroy()
    expect(status).toBeLessThan(203)
  })
})

describe('the public server of pawl', () => {
  beforeAll(async () => {
    stand = await startReceiverStand(mounts["pawl's own server"])
  })
  beforeEach(clear)
  afterAll(() => stand.destroy())

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('refuses %s and says what is allowed', async (method) => {
    const answer = await post(stand.url, '', {}, { method })
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' }, body: { error: { code: 'wrong_method' } } })
    expectRefused('wrong_method', 405)
    await expectWorking()
  })

  it('refuses HEAD without a body', async () => {
    expect(await post(stand.url, '', {}, { method: 'HEAD' })).toMatchObject({ status: 405, body: '' })
    expectRefused('wrong_method', 405)
  })

  it('answers /healthz, and 404 for paths of the admin listener', async () => {
    expect((await fetch(`${stand.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${stand.url}/metrics`)).status).toBe(404)
    expect((await fetch(`${stand.url}/api/parked`)).status).toBe(404)
    expect(stand.noted).toEqual([])
  })

  it('records its refusals in the ledger, without their bodies', async () => {
    await post(stand.url, '{"event_type":"canary"}')
    await post(stand.url, goodBody, { 'x-webhook-secret': 'canary' })
    const rejections = await stand.closeAndReadRejections()
    expect(rejections.slice(-2)).toEqual([
      { reason: 'not_an_envelope', bytes: 23 },
      { reason: 'token_invalid', bytes: goodBody.length },
    ])
  })
})

it('logs the first refusals of a flood in full, the rest as one line with their count, and counts them all', async () => {
  stand = await startReceiverStand(mounts["pawl's own server"], Date.now, { linesPerSecond: 2 })
  const refused = 60
  for (let n = 0; n < refused; n += 1) await post(stand.url, goodBody, { 'x-webhook-secret': 'none' })
  await post(stand.url, '{}')
  await stand.destroy()
  expect(stand.counted).toHaveLength(refused + 1)
  const lines = stand.log.lines().filter(({ reason }) => reason === 'token_invalid')
  const full = lines.filter((line) => !('count' in line))
  expect(full.length).toBeLessThan(refused / 2)
  expect(full.every(({ msg }) => String(msg).includes('WEBHOOK_SECRETS'))).toBe(true)
  const more = lines.reduce((sum, { count = 0 }) => sum + Number(count), 0)
  expect(full.length + more).toBe(refused)
  expect(stand.log.lines().filter(({ reason }) => reason === 'not_an_envelope')).toHaveLength(1)
})
