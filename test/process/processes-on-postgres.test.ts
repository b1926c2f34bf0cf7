import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { countRuns, expectOrderly, readJournal } from '../faults/journal.ts'
import { startFaultWorld, type FaultWorld } from '../faults/fault-world.ts'
import { openLedgerRows, readRuns, untilNothingIsDue } from '../support/ledger-rows.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { describeWithRedis, startRedis, type TestRedis } from '../support/redis.ts'
import { freePort } from '../support/spawn-pawl.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { deliverCopies } from './deliver-copies.ts'

const resources = 20
const waves = 10
const deliveriesPerWave = 40
const copies = 40
const leaseMs = 60_000

describeWithPostgres('two receivers and two workers with their ledger on PostgreSQL', () => {
  let postgres: TestPostgres
  let world: FaultWorld

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  afterEach(() => world.close())

  async function handlesAll(queueUrl?: string): Promise<void> {
    world = await startFaultWorld({
      seed: 1,
      databaseUrl: await postgres.createDatabase(),
      env: {
        ...(queueUrl !== undefined && { QUEUE_URL: queueUrl }),
        // A machine that is held up takes no lease away.
        LEASE_MS: String(leaseMs),
        REST_MS: '1',
        SWEEP_INTERVAL_MS: '1000',
        WORK_MS: '3',
        HANDLER_TIMEOUT_MS: '60000',
      },
    })
    const ports = [await freePort(), await freePort()]
    const urls = ports.map((port) => `http://127.0.0.1:${port}`)
    const started = await Promise.all([
      ...ports.map((port) => world.start('receiver', { env: { PORT: String(port) } })),
      world.start('worker'),
      world.start('worker'),
    ])
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

    const ledger = await openLedgerRows(world.databaseUrl)
    await untilNothingIsDue(ledger)
    const count = async (from: string) => Number((await ledger.ask(`select count(*) from ${from}`))[0]?.count)
    expect(await count('events')).toBe(waves * deliveriesPerWave + resources)
    expect(await count(`events where repeats = ${copies - 1}`)).toBe(resources)
    expect(await count('events where repeats > 0')).toBe(resources)
    const inSync = `states join resources on number = resource
      where (select bool_and((handler.value ->> 'at')::bigint = newest_event_id)
        from json_each(document::json -> 'handlers') as handler)`
    expect(await count(inSync)).toBe(resources)
    expect(await count('work')).toBe(0)
    expect((await readRuns(ledger)).filter(({ result }) => result !== 'succeeded')).toEqual([])
    const deadlocks = await ledger.ask('select deadlocks from pg_stat_database where datname = current_database()')
    // Each would hold up a whole group of deliveries for a second, and five in a row would turn it away.
    expect(deadlocks).toEqual([{ deadlocks: '0' }])
    await ledger.close()

    expect(await Promise.all(started.map((pawl) => pawl.end('SIGTERM')))).toEqual([0, 0, 0, 0])
    const lines = readJournal(world.journalPath)
    expectOrderly(lines, { leaseMs, mayOverlap: () => false })
    const runs = countRuns(lines)
    expect(runs.size).toBe(resources)
    // The check means something only if there was something to collide on.
    expect([...runs.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(resources)
  }

  it('and their queue there, too, handle 400 deliveries, one claim per resource at a time, and store concurrent copies as one', async () => {
    await handlesAll()
  })

  describe('and their queue', () => {
    let redis: TestRedis | undefined
    afterEach(() => redis?.close())

    describeWithRedis('on Redis', () => {
      it('handle 400 deliveries, one claim per resource at a time, and store concurrent copies as one', async () => {
        redis = await startRedis()
        await handlesAll(redis.url)
      })
    })
  })
})
