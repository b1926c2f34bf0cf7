import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createRedisQueue } from '../../src/queue/redis-queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { createHall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'
import { describeServedQueue } from './server-contract.ts'

/** Permanent keys of BullMQ: settings, the last job id, the time of its last look for lost jobs, and its own events, which name ids only. */
const lasting = ['bull:pawl:events', 'bull:pawl:id', 'bull:pawl:meta', 'bull:pawl:stalled-check']

describeWithRedis('on Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(() => redis.flushAll())

  const open = (log: LogCapture) => createRedisQueue({ url: redis.url, log: log.log })

  describeQueue('on Redis', async () => open(captureLog()))

  it('puts ids into Redis and nothing else', async () => {
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

describeWithRedis('with a Redis of its own', () => {
  describeServedQueue('Redis', async () => {
    const { url, stop, restart, pause, resume, flushAll, clients, close } = await startRedis()
    return { url, stop, start: restart, pause, resume, empty: flushAll, connections: clients, close }
  })
})
