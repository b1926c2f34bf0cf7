import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { createPostgresQueue } from '../../src/queue/postgres-queue.ts'
import type { Queue } from '../../src/queue/queue.ts'
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

const connections = (url: string) =>
  ask(url, async (client) => {
    const { rows } = await client.query<{ count: string }>(
      "select count(*) from pg_stat_activity where datname = current_database() and application_name like 'pawl%'",
    )
    return Number(rows[0]?.count)
  })

/** Whether a process listens; earlier notifications are lost. */
const listens = (url: string) => async () =>
  ask(url, async (client) => {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where application_name = 'pawl-queue' and query ~ '^(listen|select 1$)'",
    )
    return (rowCount ?? 0) > 0
  })

describeWithPostgres('the PostgreSQL queue', () => {
  let postgres: TestPostgres
  let url: string
  let opened: Queue[]
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    url = await postgres.createDatabase()
    opened = []
  })
  afterEach(async () => void (await Promise.all(opened.map((queue) => queue.close()))))

  function open({ log = captureLog(), at = url } = {}): Queue {
    const queue = createPostgresQueue({ url: at, log: log.log })
    opened.push(queue)
    return queue
  }

  describeQueue('on PostgreSQL', async () => open())

  it('notifies with ids only, leaves nothing in the database, and runs each of its own ids once', async () => {
    const hall = createHall()
    const log = captureLog()
    const queue = open({ log })
    const heard: string[] = []
    await ask(url, async (client) => {
      client.on('notification', ({ payload = '' }) => heard.push(payload))
      await client.query(`do $$ begin execute 'listen "pawl_' || md5(current_schema()) || '"'; end $$`)
      queue.start(hall.work, 1)
      await until('it listens', listens(url))
      await queue.enqueue('pa_req_1')
      await until('the notification is heard', () => heard.length > 0)
      await queue.enqueue('pa_req_2')
      await hall.hasBegun('pa_req_2')
      const { rows } = await client.query("select 1 from pg_tables where schemaname !~ '^(pg_|information_schema)'")
      expect(rows).toEqual([])
    })
    expect(heard.slice(0, 1).map((payload) => JSON.parse(payload) as unknown)).toEqual([
      [expect.stringMatching(/^[\w-]{12}$/), 'pa_req_1'],
    ])
    expect(hall.begun).toEqual(['pa_req_1', 'pa_req_2'])
    expect(log.lines()).toEqual([])
  })

  it('carries a thousand ids of 200 characters at once, and listens again after its connections are cut', async () => {
    const hall = createHall()
    const sender = open()
    open().start(hall.work, 50)
    await until('it listens', listens(url))
    const ids = Array.from({ length: 1_000 }, (_, n) => `pa_req_${n}_${'ä"\\'.repeat(64)}`)
    await Promise.all(ids.map((id) => sender.enqueue(id)))
    await until('all were begun', () => new Set(hall.begun).size === ids.length)
    await postgres.cutConnections()
    await until('an id comes through again', async () => {
      await sender.enqueue('after').catch(() => undefined)
      return hall.begun.includes('after')
    })
  })

  it('ignores foreign notifications', async () => {
    const hall = createHall()
    open().start(hall.work, 1)
    await until('it listens', listens(url))
    const sender = open()
    await ask(url, async (client) => {
      for (const payload of ['', 'pa_req_1', '{}', '["x",1,null]'])
        await client.query("select pg_notify('pawl_' || md5(current_schema()), $1)", [payload])
    })
    await sender.enqueue('the-last')
    await hall.hasBegun('the-last')
    expect(hall.begun).toEqual(['the-last'])
  })

  it('separates ledgers in two schemas of one database', async () => {
    await ask(url, (client) => client.query('create schema clinic_a; create schema clinic_b'))
    const [a, b] = ['clinic_a', 'clinic_b'].map((schema) => `${url}?options=-c%20search_path%3D${schema}`)
    const hall = createHall()
    open({ at: a ?? '' }).start(hall.work, 1)
    await until('it listens', listens(url))
    await open({ at: b ?? '' }).enqueue('of-b')
    await open({ at: a ?? '' }).enqueue('of-a')
    await hall.hasBegun('of-a')
    expect(hall.begun).toEqual(['of-a'])
  })
})

describeWithPostgres('with its own PostgreSQL server', () => {
  describeServedQueue('PostgreSQL', async () => {
    const { createDatabase, kill, start, pause, resume, close } = await startPostgres()
    const url = await createDatabase()
    return { url, stop: kill, start, pause, resume, connections: () => connections(url), close }
  })
})
