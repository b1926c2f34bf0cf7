import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createBullMqQueue, QueueUnavailable } from '../../src/queue/bullmq-queue.ts'
import type { Queue } from '../../src/queue/queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { createHall, type Hall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'

const execute = promisify(execFile)

/** What BullMQ keeps for good: settings, the last job id, the time of its last look for lost jobs, and its own events, which name ids only. */
const lasting = ['bull:pawl:events', 'bull:pawl:id', 'bull:pawl:meta', 'bull:pawl:stalled-check']

describeWithRedis('on Redis', () => {
  let redis: TestRedis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(() => redis.flushAll())

  const open = (log: LogCapture) => createBullMqQueue({ url: redis.url, log: log.log })

  describeQueue('on BullMQ and Redis', async () => open(captureLog()))

  it('puts ids into Redis and nothing else', async () => {
    const log = captureLog()
    const queue = open(log)
    await queue.ring('pa_req_1')
    expect(await redis.dump()).toContain('"data":"{\\"resourceId\\":\\"pa_req_1\\"}"')
    await queue.close()
    expect(log.lines()).toEqual([])
  })

  it('leaves no job, no lock and no deduplication in Redis after the work', async () => {
    const hall = createHall()
    const queue = open(captureLog())
    queue.start(hall.work, 4)
    for (const id of ['a', 'b', 'a', 'c']) await queue.ring(id)
    for (const id of ['a', 'b', 'c']) await hall.hasBegun(id)
    await until('the jobs are gone', async () => (await redis.keys()).every((key) => lasting.includes(key)))
    await queue.close()
  })

  it('carries a ring from one process to another, and gives a resource to one of them at a time', async () => {
    const halls = [createHall(1), createHall(1)]
    const queues = halls.map(() => open(captureLog()))
    for (const [index, queue] of queues.entries()) queue.start(halls[index]?.work ?? fail, 4)
    const sender = open(captureLog())
    for (let i = 0; i < 30; i++) await sender.ring(`pa_req_${i % 10}`)
    const begun = () => halls.flatMap((hall) => hall.begun)
    await until('all ten were begun', () => new Set(begun()).size === 10)
    await Promise.all([sender, ...queues].map((queue) => queue.close()))
    expect(halls.flatMap((hall) => hall.overlapped)).toEqual([])
  })

  it('closes every connection that it opened', async () => {
    const queue = open(captureLog())
    queue.start(createHall().work, 1)
    await queue.ring('a')
    expect(await redis.clients()).toBeGreaterThan(0)
    await queue.close()
    await until('no client is left', async () => (await redis.clients()) === 0)
  })
})

describeWithRedis('a queue whose Redis', () => {
  let redis: TestRedis
  let log: LogCapture
  let hall: Hall
  let queue: Queue
  beforeEach(async () => {
    redis = await startRedis()
    log = captureLog()
    hall = createHall()
    queue = createBullMqQueue({ url: redis.url, log: log.log })
  })
  afterEach(async () => {
    hall.open()
    await queue.close()
    await redis.close()
  })

  const messages = () => log.lines().map((line) => line.msg)
  const ringUntilWorked = (id: string) =>
    until(`${id} is worked on`, async () => {
      await queue.ring(id).catch(() => undefined)
      return hall.begun.includes(id)
    })

  it('is stopped refuses rings at once, and works again after a restart by itself', async () => {
    queue.start(hall.work, 2)
    await ringUntilWorked('before')
    await redis.stop()
    for (let i = 0; i < 50; i++) await expect(queue.ring(`lost-${i}`)).rejects.toThrow(QueueUnavailable)
    await redis.restart()
    await ringUntilWorked('after')
    expect(messages()).toEqual(['queue unavailable: the sweeper takes over', 'queue available again'])
  })

  it('is away at the start neither crashes nor hangs the process, and works once Redis is there', async () => {
    await queue.close()
    await redis.stop()
    queue = createBullMqQueue({ url: redis.url, log: log.log })
    queue.start(hall.work, 2)
    await expect(queue.ring('a')).rejects.toThrow(QueueUnavailable)
    await redis.restart()
    await ringUntilWorked('b')
  })

  it('hangs refuses rings in bounded time, and takes them again when it wakes', async () => {
    await queue.ring('a')
    redis.pause()
    await expect(queue.ring('b')).rejects.toThrow(QueueUnavailable)
    redis.resume()
    queue.start(hall.work, 2)
    await ringUntilWorked('c')
  })

  it('is flushed works on later rings, also of a resource that was in hand', async () => {
    hall.shut()
    queue.start(hall.work, 2)
    await queue.ring('a')
    await hall.hasBegun('a')
    await queue.ring('a')
    await redis.flushAll()
    await queue.ring('b')
    await hall.hasBegun('b')
    hall.open()
    await hall.isEmpty()
    await queue.ring('a')
    await hall.hasBegun('a', 2)
  })

  it('goes away during the work lets the work finish and the queue close', async () => {
    hall.shut()
    queue.start(hall.work, 2)
    await queue.ring('a')
    await hall.hasBegun('a')
    await redis.stop()
    const closed = queue.close()
    hall.open()
    await closed
    expect(hall.inHand.size).toBe(0)
  })

  it('hangs lets the queue close', async () => {
    queue.start(hall.work, 2)
    await ringUntilWorked('a')
    redis.pause()
    await queue.close()
    redis.resume()
  })

  it.each([
    ['is there', async () => {}],
    ['is away', () => redis.stop()],
  ])('%s lets a process end after the close', async (_, prepare) => {
    await prepare()
    const script = `
      const { createBullMqQueue } = await import('./src/queue/bullmq-queue.ts')
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      const queue = createBullMqQueue({ url: process.argv[1], log })
      queue.start(async () => {}, 2)
      await queue.ring('a').catch(() => {})
      await new Promise((resolve) => setTimeout(resolve, 300))
      await queue.close()
      console.log('closed')`
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script, redis.url]
    const { stdout, stderr } = await execute(process.execPath, args, { timeout: 20_000 })
    expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' })
  })
})

function fail(): never {
  throw new Error('a queue without a hall')
}
