import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { createScriptedApi, type ScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

describeWithRedis('receivers and workers that share a Redis', () => {
  let redis: TestRedis
  let receiver: LocalGateway
  let worker: LocalGateway
  let service: ScriptedApi
  let sent: number

  beforeEach(async () => {
    sent = 0
    redis = await startRedis()
    service = createScriptedApi()
    const handler = defineHandler({
      name: 'count',
      on: ['prior_authorization.status_change'],
      handle: () => Promise.resolve(),
    })
    receiver = await startLocalGateway({}, { ROLE: 'receiver', QUEUE_URL: redis.url })
    worker = await startLocalGateway(
      { api: service.api, handlers: [handler] },
      {
        ROLE: 'worker',
        QUEUE_URL: redis.url,
        DATABASE_URL: `file:${receiver.databasePath}`,
        SWEEP_INTERVAL_MS: '1000',
      },
    )
  })
  afterEach(async () => {
    await worker.destroy()
    await receiver.destroy()
    await redis.close()
  })

  async function send(count: number): Promise<void> {
    const statuses = await Promise.all(
      Array.from({ length: count }, async () => {
        sent += 1
        return (await deliver(receiver.url, envelope({ id: `pa_req_${sent}`, status: 'hint' }))).status
      }),
    )
    expect(statuses).toEqual(statuses.map(() => 202))
  }
  const allDone = () =>
    until('all in step', async () => {
      const { due, resources } = await worker.ledger.counts()
      return due === 0 && resources === sent && service.reads.length >= sent
    })

  it('work on what others received', async () => {
    await send(50)
    await allDone()
    expect(service.reads).toHaveLength(50)
  })

  it('accept while Redis is stopped, and do all the work once it is back', async () => {
    await send(10)
    await redis.stop()
    await send(40)
    await redis.restart()
    await send(10)
    await allDone()
  })

  it('do all the work although Redis was flushed in the middle of it', async () => {
    service.before = () => new Promise((resolve) => setTimeout(resolve, 20))
    await send(100)
    await redis.flushAll()
    await send(20)
    await allDone()
  })
})
