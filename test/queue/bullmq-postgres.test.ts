import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createBullMqQueue, QueueUnavailable } from '../../src/queue/bullmq-queue.ts'
import type { Queue } from '../../src/queue/queue.ts'
import { captureLog, type LogCapture } from '../support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { createHall, type Hall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'

const execute = promisify(execFile)

async function ask<T>(url: string, question: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url, application_name: 'test' })
  await client.connect()
  try {
    return await question(client)
  } finally {
    await client.end()
  }
}

/** Rows by table, without what describes the schema itself. */
const dump = (url: string) =>
  ask(url, async (client) => {
    const { rows } = await client.query<{ name: string; schema: string }>(
      "select table_schema as schema, table_name as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
    )
    const tables = new Map<string, unknown[]>()
    for (const { schema, name } of rows) {
      if (name === 'migration') continue
      const held = (await client.query<Record<string, unknown>>(`select * from ${schema}.${name}`)).rows
      if (held.length > 0) tables.set(`${schema}.${name}`, held)
    }
    return tables
  })

const connections = (url: string) =>
  ask(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'pawl%'",
    )
    return Number(rows[0]?.count)
  })

describeWithPostgres('on PostgreSQL', () => {
  let postgres: TestPostgres
  let url: string
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    url = await postgres.createDatabase()
  })

  const open = (log = captureLog()) => createBullMqQueue({ url, log: log.log })

  describeQueue('on BullMQ and PostgreSQL', async () => open())

  it('puts ids into PostgreSQL and nothing else, all in a schema of its own', async () => {
    const log = captureLog()
    const queue = open(log)
    await queue.ring('pa_req_1')
    const tables = await dump(url)
    expect([...tables.keys()].every((name) => name.startsWith('pawl_queue.'))).toBe(true)
    expect(tables.get('pawl_queue.job')).toMatchObject([{ name: 'ring', data: { resourceId: 'pa_req_1' } }])
    await queue.close()
    expect(log.lines()).toEqual([])
  })

  it('leaves no job and no deduplication behind after the work, and few events', async () => {
    const hall = createHall()
    const queue = open()
    queue.start(hall.work, 4)
    for (let n = 0; n < 200; n += 1) await queue.ring(`pa_req_${n % 50}`)
    for (let n = 0; n < 50; n += 1) await hall.hasBegun(`pa_req_${n}`)
    await until('the jobs are gone', async () => !(await dump(url)).has('pawl_queue.job'))
    await queue.close()
    const left = await dump(url)
    // Its settings with the last job id, and BullMQ's own events, which name job ids only.
    expect([...left.keys()].toSorted()).toEqual(['pawl_queue.event', 'pawl_queue.meta'])
    // BullMQ cuts them down every 256 events.
    expect(left.get('pawl_queue.event')?.length).toBeLessThan(400)
    expect(JSON.stringify([...left])).not.toContain('pa_req')
  })

  it('is set up once by queues that begin at the same time', async () => {
    const queues = Array.from({ length: 6 }, () => open())
    await Promise.all(queues.map((queue, index) => queue.ring(`pa_req_${index}`)))
    await Promise.all(queues.map((queue) => queue.close()))
    expect((await dump(url)).get('pawl_queue.job')).toHaveLength(6)
  })

  it('carries a ring from one process to another, and gives a resource to one of them at a time', async () => {
    const halls = [createHall(1), createHall(1)]
    const queues = halls.map((hall) => {
      const queue = open()
      queue.start(hall.work, 4)
      return queue
    })
    const sender = open()
    for (let i = 0; i < 30; i++) await sender.ring(`pa_req_${i % 10}`)
    await until('all ten were begun', () => new Set(halls.flatMap((hall) => hall.begun)).size === 10)
    await Promise.all([sender, ...queues].map((queue) => queue.close()))
    expect(halls.flatMap((hall) => hall.overlapped)).toEqual([])
  })

  it('closes every connection that it opened', async () => {
    const queue = open()
    queue.start(createHall().work, 1)
    await queue.ring('a')
    expect(await connections(url)).toBeGreaterThan(0)
    await queue.close()
    await until('no connection is left', async () => (await connections(url)) === 0)
  })
})

describeWithPostgres('a queue whose PostgreSQL', () => {
  let postgres: TestPostgres
  let url: string
  let log: LogCapture
  let hall: Hall
  let queue: Queue
  beforeEach(async () => {
    postgres = await startPostgres()
    url = await postgres.createDatabase()
    log = captureLog()
    hall = createHall()
    queue = createBullMqQueue({ url, log: log.log })
  })
  afterEach(async () => {
    hall.open()
    await queue.close()
    await postgres.close()
  })

  const messages = () => log.lines().map((line) => line.msg)
  const ringUntilWorked = (id: string) =>
    until(`${id} is worked on`, async () => {
      await queue.ring(id).catch(() => undefined)
      return hall.begun.includes(id)
    })

  it('is killed refuses rings at once, and works again after a restart by itself', async () => {
    queue.start(hall.work, 2)
    await ringUntilWorked('before')
    await postgres.kill()
    for (let i = 0; i < 50; i++) await expect(queue.ring(`lost-${i}`)).rejects.toThrow(QueueUnavailable)
    await postgres.start()
    await ringUntilWorked('after')
    expect(messages().slice(0, 2)).toEqual(['queue unavailable: the sweeper takes over', 'queue available again'])
  })

  it('is away at the start neither crashes nor hangs the process, and works once it is there', async () => {
    await queue.close()
    await postgres.kill()
    queue = createBullMqQueue({ url, log: log.log })
    queue.start(hall.work, 2)
    await expect(queue.ring('a')).rejects.toThrow(QueueUnavailable)
    await postgres.start()
    await ringUntilWorked('b')
  })

  it('cuts its connections works on, rings of before and after alike', async () => {
    hall.shut()
    queue.start(hall.work, 2)
    await ringUntilWorked('a')
    await queue.ring('a')
    await queue.ring('b')
    await postgres.cutConnections()
    hall.open()
    await ringUntilWorked('c')
    await hall.hasBegun('b')
  })

  it('hangs refuses rings in bounded time, and takes them again when it wakes', async () => {
    await queue.ring('a')
    postgres.pause()
    await expect(queue.ring('b')).rejects.toThrow(QueueUnavailable)
    postgres.resume()
    queue.start(hall.work, 2)
    await ringUntilWorked('c')
  })

  it('lost all that it held works on later rings', async () => {
    queue.start(hall.work, 2)
    await ringUntilWorked('a')
    await ask(url, (client) => client.query('truncate pawl_queue.job, pawl_queue.dedup cascade'))
    await ringUntilWorked('b')
  })

  it('goes away during the work lets the work finish and the queue close', async () => {
    hall.shut()
    queue.start(hall.work, 2)
    await queue.ring('a')
    await hall.hasBegun('a')
    await postgres.kill()
    const closed = queue.close()
    hall.open()
    await closed
    expect(hall.inHand.size).toBe(0)
  })

  it('hangs lets the queue close', async () => {
    queue.start(hall.work, 2)
    await ringUntilWorked('a')
    postgres.pause()
    await queue.close()
    postgres.resume()
  })

  it.each([
    ['is there', async () => {}],
    ['is away', () => postgres.kill()],
    ['hangs', async () => postgres.pause()],
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
    const args = ['--import', 'tsx', '--input-type=module', '--eval', script, url]
    const { stdout, stderr } = await execute(process.execPath, args, { timeout: 20_000 })
    expect({ stdout, stderr }).toEqual({ stdout: 'closed\n', stderr: '' })
  })
})
