import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createBullMqQueue } from '../../src/queue/bullmq-queue.ts'
import { captureLog } from '../support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { createHall } from './hall.ts'
import { describeQueue } from './queue-contract.ts'
import { describeServedQueue } from './server-contract.ts'

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
    await queue.enqueue('pa_req_1')
    const tables = await dump(url)
    expect([...tables.keys()].every((name) => name.startsWith('pawl_queue.'))).toBe(true)
    expect(tables.get('pawl_queue.job')).toMatchObject([{ name: 'enqueue', data: { resourceId: 'pa_req_1' } }])
    await queue.close()
    expect(log.lines()).toEqual([])
  })

  it('leaves no job and no deduplication behind after the work, and few events', async () => {
    const hall = createHall()
    const queue = open()
    queue.start(hall.work, 4)
    for (let n = 0; n < 200; n += 1) await queue.enqueue(`pa_req_${n % 50}`)
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
    await Promise.all(queues.map((queue, index) => queue.enqueue(`pa_req_${index}`)))
    await Promise.all(queues.map((queue) => queue.close()))
    expect((await dump(url)).get('pawl_queue.job')).toHaveLength(6)
  })

  it('works on when its connections are cut, jobs of before and after alike', async () => {
    const hall = createHall()
    const queue = open()
    const enqueueUntilWorked = (id: string) =>
      until(`${id} is worked on`, async () => {
        await queue.enqueue(id).catch(() => undefined)
        return hall.begun.includes(id)
      })
    hall.shut()
    queue.start(hall.work, 2)
    await enqueueUntilWorked('a')
    await queue.enqueue('a')
    await queue.enqueue('b')
    await postgres.cutConnections()
    hall.open()
    await enqueueUntilWorked('c')
    await hall.hasBegun('b')
    await queue.close()
  })
})

describeWithPostgres('with a PostgreSQL of its own', () => {
  describeServedQueue('PostgreSQL', async () => {
    const { createDatabase, kill, start, pause, resume, close } = await startPostgres()
    const url = await createDatabase()
    const empty = () => ask(url, (client) => client.query('truncate pawl_queue.job, pawl_queue.dedup cascade'))
    return { url, stop: kill, start, pause, resume, empty, connections: () => connections(url), close }
  })
})
