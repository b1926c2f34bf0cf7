import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import type { Queue } from '../../src/queue/queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

/** A queue that takes nothing. */
const brokenQueue: Queue = {
  enqueue: () => Promise.reject(new Error('no queue')),
  start() {},
  close: () => Promise.resolve(),
}

describe('a delivery to a running pawl', () => {
  let gateway: LocalGateway
  let capture: LogCapture
  beforeEach(() => {
    capture = captureLog()
  })
  afterEach(() => gateway.destroy())

  /** Starts a gateway with one handler; resolves with what that handler has seen. */
  async function start(parts: { queue?: Queue } = {}) {
    const handled: { id: string; status: string | undefined; extra: unknown }[] = []
    const watcher = defineHandler({
      name: 'watcher',
      on: ['prior_authorization.status_change'],
      async handle({ resource }) {
        handled.push({ id: resource.id, status: resource.status, extra: resource.unknownFields?.extra })
      },
    })
    const service = createScriptedApi()
    const { log } = capture
    gateway = await startLocalGateway({ api: service.api, handlers: [watcher], log, isThreaded: true, ...parts })
    return { handled, service }
  }

  async function inSync(id: string): Promise<void> {
    await until(`${id} is in sync`, async () => {
      const resource = await gateway.ledger.resource(id)
      return resource?.progress.some(({ state }) => state === 'synced')
    })
  }

  it('sent fifty times at once is stored once, counted 49 times and handled once', async () => {
    const { handled } = await start()
    const body = JSON.stringify(envelope({ id: 'pa_req_1' }))
    const answers = await Promise.all(Array.from({ length: 50 }, () => deliver(gateway.url, body)))
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length
    expect({ stored: count(202), duplicates: count(200) }).toEqual({ stored: 1, duplicates: 49 })
    await inSync('pa_req_1')
    expect(await gateway.ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 49 })
    expect(handled).toHaveLength(1)
  })

  it('is accepted and handled while the queue is down', async () => {
    const { handled } = await start({ queue: brokenQueue })
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
    await inSync('pa_req_1')
    expect(handled).toHaveLength(1)
  })

  it('of an undocumented status and with unknown fields reaches the handler with both', async () => {
    const { handled, service } = await start()
    service.set({ id: 'pa_req_1', status: 'quantum', extra: { deep: [1, null] } })
    expect((await deliver(gateway.url, { ...envelope({ id: 'pa_req_1', status: 'quantum' }), extra: 1 })).status).toBe(
      202,
    )
    await inSync('pa_req_1')
    expect(handled).toEqual([{ id: 'pa_req_1', status: 'quantum', extra: { deep: [1, null] } }])
  })

  it('that is not valid HTTP is logged once and counted as refused, without harm to later ones', async () => {
    await start()
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname, () => socket.write('hello\r\n\r\n'))
    await once(socket.resume(), 'close')
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
    await until('it is noted', async () => (await gateway.ledger.refused(60_000)).length > 0)
    expect(await gateway.ledger.refused(60_000)).toMatchObject([{ reason: 'unreadable', count: 1 }])
    expect(capture.lines().filter(({ reason }) => reason === 'unreadable')).toHaveLength(1)
  })

  it('of a type without a handler is stored and changes nothing', async () => {
    await start()
    expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }, 'prior_authorization.brand_new'))).status).toBe(202)
    expect(await gateway.ledger.counts()).toMatchObject({ events: 1, unhandled: 1, due: 0 })
  })
})
