import { rm } from 'node:fs/promises'
import express from 'express'
import request from 'supertest'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Accepted } from '../../packages/ledger/src/hot/accept.ts'
import { createPressure } from '../../src/receive/pressure.ts'
import { createReceiver, type ReceiverDeps } from '../../src/receive/receiver.ts'
import { createVerify } from '../../packages/client/src/verify/verify.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { startLocalGateway } from '../support/start-local-gateway.ts'
import { deliver, envelope, signToken, webhookSecret } from '../support/webhook.ts'
import { mounts, type ReceiverStand, startReceiverStand } from './receiver-stand.ts'
import { goodBody, post } from './signed-requests.ts'

describe('a receiver whose ledger cannot store', () => {
  let log: LogCapture
  let enqueued: string[]
  let counted: string[]

  const pressure = createPressure({ maxInFlight: 1_000, maxInFlightBytes: 10_000_000, readDiskRoom: undefined })
  afterAll(() => pressure.close())

  async function deliverTo(accept: ReceiverDeps['ledger']['accept'], others: Partial<ReceiverDeps> = {}) {
    log = captureLog()
    enqueued = []
    counted = []
    const receiver = createReceiver({
      verify: await createVerify([webhookSecret], Date.now),
      ledger: { accept, reject() {} },
      noteDrift() {},
      pressure,
      enqueue: (id) => void enqueued.push(id),
      maxBodyBytes: 1_000,
      log: log.log,
      sampledLog: log.log,
      count: (outcome, code) => void counted.push(`${outcome} ${code}`),
      ...others,
    })
    return request(express().post('/webhooks', receiver))
      .post('/webhooks')
      .set('content-type', 'application/json')
      .set('x-webhook-secret', await signToken())
      .timeout(20_000)
      .send(goodBody)
  }

  const failures: [string, unknown][] = [
    ['an error of the database', Object.assign(new Error('disk is full: Testa Sample'), { code: 'SQLITE_FULL' })],
    ['something that is no error', 'Testa Sample'],
    ['nothing at all', undefined],
  ]
  it.each(failures)('because of %s answers 503 with Retry-After, never 2xx', async (_, reason) => {
    // eslint-disable-next-line typescript/prefer-promise-reject-errors -- that is the case under test
    const { status, headers, body } = await deliverTo(() => Promise.reject(reason))
    expect({ status, body }).toMatchObject({ status: 503, body: { error: { code: 'not_stored' } } })
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    expect(enqueued).toEqual([])
    expect(counted).toEqual(['unavailable not_stored'])
    expect(log.lines()).toMatchObject([{ level: 'error', msg: 'delivery not stored', status: 503 }])
    expect(log.text()).not.toContain('Testa')
  })

  it('answers 503 in time while a commit waits for a lock, and counts the delivery as in flight until that ends', async () => {
    let store: (accepted: Accepted) => void = () => {}
    const pressure = createPressure({ maxInFlight: 1, maxInFlightBytes: 10_000_000, readDiskRoom: undefined })
    const answer = () => deliverTo(() => new Promise((resolve) => (store = resolve)), { pressure, commitTimeoutMs: 20 })
    expect(await answer()).toMatchObject({ status: 503, body: { error: { code: 'not_stored' } } })
    expect(log.lines()).toMatchObject([{ msg: 'delivery not stored', reason: 'commit_late' }])
    expect(await answer()).toMatchObject({ status: 503, body: { error: { code: 'too_many_in_flight' } } })
    store({ eventId: 1, duplicate: false, traceId: '' })
    await expect.poll(answer).toMatchObject({ body: { error: { code: 'not_stored' } } })
    store({ eventId: 1, duplicate: false, traceId: '' })
    pressure.close()
  })

  it('names the system error code in its log line', async () => {
    const full = Object.assign(new Error('full'), { code: 'SQLITE_FULL' })
    await deliverTo(() => Promise.reject(full))
    expect(log.lines()).toMatchObject([{ error: { code: 'SQLITE_FULL' } }])
  })

  it('logs the first failures of a flood in full, the rest as one line with their count, and answers and counts them all', async () => {
    const stand = await startReceiverStand(mounts["pawl's own server"], Date.now, { linesPerSecond: 3 })
    await stand.ledger.close()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(stand.url, goodBody)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
    expect(stand.counted).toEqual(answers.map(() => 'unavailable not_stored'))
    await stand.destroy()
    const lines = stand.log.lines().filter(({ msg }) => String(msg).startsWith('delivery not stored'))
    expect(lines.map(({ level, status }) => ({ level, status }))).toEqual(
      lines.map(() => ({ level: 'error', status: 503 })),
    )
    const told = lines.reduce((sum, { count = 1 }) => sum + Number(count), 0)
    expect(told).toBe(50)
    expect(lines.length).toBeLessThan(50)
  })

  it('answers 503 with a real ledger whose transactions cannot begin', async () => {
    const stand = await startReceiverStand(mounts["pawl's own server"])
    await stand.ledger.close()
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliverTo(stand.ledger.accept)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 503))
    await stand.destroy()
  })
})

describe('a running pawl whose ledger was deleted', () => {
  it('answers every delivery with 503, and gives the reason in its log and at /readyz', async () => {
    const log = captureLog()
    const gateway = await startLocalGateway({ log: log.log }, { ROLE: 'receiver' })
    expect((await fetch(`${gateway.adminUrl}/readyz`)).status).toBe(200)
    expect(await (await fetch(`${gateway.adminUrl}/metrics`)).text()).toContain('pawl_ledger_up 1')
    await rm(gateway.databasePath)
    for (let n = 0; n < 20; n += 1)
      expect((await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))).status).toBe(503)
    const sentence = expect.stringContaining('was deleted or replaced while pawl runs')
    const unstored = log.lines().find(({ msg }) => msg === 'delivery not stored')
    expect(unstored).toMatchObject({ level: 'error', error: { code: 'ledger_file_gone', message: sentence } })
    const ready = await fetch(`${gateway.adminUrl}/readyz`)
    expect(ready.status).toBe(503)
    const metrics = await fetch(`${gateway.adminUrl}/metrics`)
    expect(metrics.status).toBe(200)
    const text = await metrics.text()
    expect(text.match(/^pawl_ledger_.*/gm)).toEqual(['pawl_ledger_up 0'])
    expect(text).toContain('pawl_deliveries_total{outcome="unavailable",code="not_stored"} 20')
    expect(await ready.json()).toMatchObject({ error: { code: 'ledger_file_gone', message: sentence } })
    await gateway.destroy()
  })
})

describe('a receiver behind a body parser', () => {
  let stand: ReceiverStand
  afterEach(() => stand.destroy())

  const parsers = { json: express.json(), raw: express.raw({ type: '*/*' }), text: express.text({ type: '*/*' }) }
  it.each(Object.entries(parsers))('%s stores nothing, answers 503, and logs the remedy', async (_, parser) => {
    stand = await startReceiverStand((receiver) => {
      const app = express().use(parser).post('/webhooks', receiver)
      return (req, res) => void app(req, res)
    })
    const { status } = await post(stand.url, goodBody)
    expect(status).toBe(503)
    expect(await stand.ledger.counts()).toMatchObject({ events: 0 })
    expect(stand.log.lines()).toMatchObject([
      {
        level: 'error',
        error: { code: 'body_already_read', message: expect.stringContaining('in front of any body parser') },
      },
    ])
  })
})

describe('a receiver whose sender hangs up early', () => {
  let stand: ReceiverStand
  beforeEach(async () => {
    stand = await startReceiverStand(mounts["pawl's own server"])
  })
  afterEach(() => stand.destroy())

  it('stores each of many deliveries once, and answers the others', async () => {
    const bodies = Array.from({ length: 30 }, (_, index) => goodBody.replace('pa_req_1', `pa_req_${index}`))
    const token = await signToken()
    const abandoned = bodies.map(async (body) => {
      const controller = new AbortController()
      const headers = { 'content-type': 'application/json', 'x-webhook-secret': token }
      const sent = fetch(`${stand.url}/webhooks`, { method: 'POST', headers, body, signal: controller.signal })
      setImmediate(() => controller.abort())
      await sent.catch(() => undefined)
    })
    await Promise.all(abandoned)
    for (const body of bodies) expect([200, 202]).toContain((await post(stand.url, body)).status)
    expect(await stand.ledger.counts()).toMatchObject({ events: 30, resources: 30 })
  })
})
