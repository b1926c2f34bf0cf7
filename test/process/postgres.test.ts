import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { freePort, type PawlProcess, spawnPawl } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { deliverCopies } from './deliver-copies.ts'
import { readJournal } from './journal.ts'

const resources = 20
const waves = 10
const deliveriesPerWave = 40
const copies = 40

describeWithPostgres('two receivers and two workers with their ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  let databaseUrl: string
  let folder: string
  let processes: PawlProcess[]

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    databaseUrl = await postgres.createDatabase()
    folder = await mkdtemp(join(tmpdir(), 'pawl-processes-'))
    processes = []
  })
  afterEach(async () => {
    for (const { child } of processes) child.kill('SIGKILL')
    await Promise.all(processes.map(({ exited }) => exited))
    await rm(folder, { recursive: true })
  })

  async function start(role: string, queueUrl: string | undefined, port: number): Promise<PawlProcess> {
    const env = await testEnvironment({
      DATABASE_URL: databaseUrl,
      ...(queueUrl !== undefined && { QUEUE_URL: queueUrl }),
      ROLE: role,
      PORT: String(port),
      JOURNAL: join(folder, 'journal'),
      LOG_LEVEL: 'info',
      // A machine that is held up takes no lease away.
      LEASE_MS: '60000',
      REST_MS: '1',
      SWEEP_INTERVAL_MS: '1000',
    })
    const pawl = spawnPawl(env, 'test/process/overlap-main.ts')
    processes.push(pawl)
    return pawl
  }

  async function ask(client: Client, question: string): Promise<number> {
    const { rows } = await client.query<{ count: string }>(`select count(*) from ${question}`)
    return Number(rows[0]?.count)
  }

  async function handlesAll(queueUrl?: string): Promise<void> {
    const ports = [await freePort(), await freePort()]
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const started = await Promise.all([
      ...ports.map((port) => start('receiver', queueUrl, port)),
      ...[0, 0].map((port) => start('worker', queueUrl, port)),
    ])
    await Promise.all(started.map((pawl) => pawl.ready()))
    for (let wave = 0; wave < waves; wave += 1) {
      const answers = await Promise.all(
        Array.from({ length: deliveriesPerWave }, (_, n) =>
          deliver(urls[n % urls.length] ?? '', envelope({ id: `pa_req_${n % resources}`, status: 'hint', n, wave })),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
    }
    for (let n = 0; n < resources; n += 1) {
      const answers = await deliverCopies(urls, envelope({ id: `pa_req_${n}`, status: 'copied' }), copies)
      expect(answers).toEqual({ 202: 1, 200: copies - 1 })
    }

    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    await until('nothing is due', async () => (await ask(client, 'resources where due_at is not null')) === 0)
    expect(await ask(client, 'events')).toBe(waves * deliveriesPerWave + resources)
    expect(await ask(client, `events where repeats = ${copies - 1}`)).toBe(resources)
    expect(await ask(client, 'events where repeats > 0')).toBe(resources)
    const inStep = `progress join resources on id = resource_id where state = 'synced' and handled_event_id = newest_event_id`
    expect(await ask(client, inStep)).toBe(resources)
    expect(await ask(client, "attempts where result <> 'succeeded'")).toBe(0)
    const { rows } = await client.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    // Each would hold up a whole group of deliveries for a second, and five in a row would turn it away.
    expect(rows).toEqual([{ deadlocks: '0' }])
    await client.end()

    for (const { child } of started) child.kill('SIGTERM')
    expect(await Promise.all(started.map(({ exited }) => exited))).toEqual([0, 0, 0, 0])
    const runs = await readJournal(join(folder, 'journal'))
    expect(runs.size).toBe(resources)
    // The check means something only if there was something to collide on.
    expect([...runs.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(resources)
  }

  it('and their queue there, too, handle 400 deliveries, never one resource twice at once, and store copies that both get at once as one', async () => {
    await handlesAll()
  })

  describe('and their queue', () => {
    let redis: TestRedis | undefined
    afterEach(() => redis?.close())

    describeWithRedis('on Redis', () => {
      it('handle 400 deliveries, never one resource twice at once, and store copies that both get at once as one', async () => {
        redis = await startRedis()
        await handlesAll(redis.url)
      })
    })
  })
})
