import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createRedisQueue } from '../../src/queue/redis-queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { startRelay } from '../support/relay.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { createHall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'
import { describeServedQueue } from './server-contract.ts'

/** Permanent keys of BullMQ: settings, the last job id, the time of its last look for lost jobs, and its own events, which name ids only. */
const lasting = ['bull:pawl:events', 'bull:pawl:id', 'bull:pawl:meta', 'bull:pawl:stalled-check']

describeWithRedis('the Redis queue', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(() => redis.flushAll())

  const open = (log: LogCapture) => createRedisQueue({ url: redis.url, log: log.log })

  describeQueue('on Redis', async () => open(captureLog()))

  it('stores only ids', async () => {
    const log = captureLog()
    const queue = open(log)
    await queue.enqueue('pa_req_1')
    expect(await redis.dump()).toContain('"data":"{\\"resourceId\\":\\"pa_req_1\\"}"')
    await queue.close()
    expect(log.lines()).toEqual([])
  })

  it('leaves no job, no lock and no deduplication in Redis after the work', async () => {
    const hall = createHall()
    const queue = open(captureLog())
    queue.start(hall.work, 4)
    for (const id of ['a', 'b', 'a', 'c']) await queue.enqueue(id)
    for (const id of ['a', 'b', 'c']) await hall.hasBegun(id)
    await until('the jobs are gone', async () => (await redis.keys()).every((key) => lasting.includes(key)))
    await queue.close()
  })
})

describeWithRedis('with its own Redis server', () => {
  describeServedQueue('Redis', async () => {
    const { url, stop, restart, pause, resume, flushAll, clients, close } = await startRedis()
    return { url, stop, start: restart, pause, resume, empty: flushAll, connections: clients, close }
  })
})

describeWithRedis('on a Redis server demoted by a failover', () => {
  /** A queue whose address moves on to a second server, of which the first, still running, becomes a replica. */
  async function failOver() {
    const [old, next] = [await startRedis(), await startRedis()]
    const relay = await startRelay(portOf(old))
    const log = captureLog()
    const hall = createHall()
    const queue = createRedisQueue({ url: `redis://127.0.0.1:${relay.port}`, log: log.log })
    queue.start(hall.work, 2)
    await queue.enqueue('before')
    await hall.hasBegun('before')
    await old.follow(next)
    return {
      old,
      log,
      queue,
      turnToNext: () => relay.leadTo(portOf(next)),
      enqueueUntilWorked: (id: string) =>
        until(`${id} is worked on`, async () => {
          await queue.enqueue(id).catch(() => undefined)
          return hall.begun.includes(id)
        }),
      async close() {
        await queue.close()
        await relay.close()
        await Promise.all([old.close(), next.close()])
      },
    }
  }
  const portOf = ({ url }: TestRedis) => Number(new URL(url).port)

  it('every connection of the queue moves to the new primary', async () => {
    const { old, log, turnToNext, enqueueUntilWorked, close } = await failOver()
    turnToNext()
    await enqueueUntilWorked('after')
    await until('the demoted server has no client', async () => (await old.clients()) === 0)
    expect(log.text()).not.toContain('READONLY')
    await close()
  })

  it('the queue reports the failover once, and works again once its address leads to the primary', async () => {
    const { log, queue, turnToNext, enqueueUntilWorked, close } = await failOver()
    await until('the queue is out', async () => {
      await queue.enqueue('between').catch(() => undefined)
      return queue.outage?.()?.code === 'redis_replica'
    })
    for (let tries = 0; tries < 20; tries += 1) await expect(queue.enqueue('between')).rejects.toThrow()
    turnToNext()
    await enqueueUntilWorked('after')
    const lines = log.lines().filter(({ component }) => component === 'queue')
    expect(lines.map(({ msg }) => msg)).toEqual([
      'queue unavailable: the sweeper takes over until QUEUE_URL answers',
      'queue available again',
    ])
    await close()
  })
})
