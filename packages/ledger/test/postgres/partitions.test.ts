import { Client } from 'pg'
import { CompiledQuery } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { listPartitions } from '../../src/postgres/partitions.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import type { Storage } from '../../src/storage.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { execute } from '../filled-ledger.ts'
import type { Accepted, Delivery } from '../../src/hot/accept.ts'
import type { Claim } from '../../src/hot/claims.ts'
import type { Note } from '../../src/hot/notes.ts'
import type { Upkeep } from '../../src/upkeep/create-upkeep.ts'
import { aDelivery } from '../a-delivery.ts'
import { atTime } from '../at-time.ts'

const dayMs = 86_400_000
const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }

describeWithPostgres('the partitions of events on PostgreSQL', () => {
  let postgres: TestPostgres
  let url: string
  let storage: Storage
  let ledger: Ledger
  let now: number

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.close())
  beforeEach(async () => {
    now = 1_000 * dayMs
    url = await postgres.createDatabase()
    storage = atTime(await openPostgres(url, () => {}), () => now)
    ledger = createLedger({ storage, seal: createSeal([]) })
  })
  afterEach(() => ledger.close())

  const accept = (resourceId: string, text: string, given: Partial<Delivery> = {}): Promise<Accepted> =>
    ledger.accept(aDelivery({ resourceId, body: text, ...given }))
  /** Works on the resource as a worker does. */
  async function work(id: string, { isParked = false } = {}): Promise<Claim> {
    const claim = await ledger.claim(id, 1_000, { prior_authorization: ['h'] })
    if (claim === undefined) throw new Error(`${id} could not be claimed`)
    const eventId = claim.newestEventId
    const run = {
      handler: 'h',
      startedAt: now,
      finishedAt: now,
      firstEventId: eventId,
      lastEventId: eventId,
      writes: [],
    }
    const failure = { ...run, error: { code: 'no', message: 'no' }, attempts: 1, delayMs: undefined }
    const note: Note = isParked ? { of: 'failure', run: failure } : { of: 'success', run }
    await ledger.release(claim, { notes: [note], dueInMs: undefined, restMs: 0 })
    return claim
  }
  const names = async () => (await listPartitions(storage.db)).map(({ name }) => name)
  const setLast = (last: number) => execute(url, `select setval('events_id_seq', ${last})`)
  /** As if as many events had come as fill the partition that is written to. */
  async function fillPartition(): Promise<void> {
    const [row] = await execute(url, 'select last_value::int as last from events_id_seq')
    const current = (await listPartitions(storage.db)).find(({ to }) => to > Number(row?.['last']))
    await setLast((current?.to ?? 0) - 1)
  }
  async function pass(days: number): Promise<void> {
    now += days * dayMs
    await ledger.followClock(1_000)
  }
  async function purge(how: Parameters<Upkeep['purge']>[2] = {}) {
    const sums = { deliveries: 0, dueBodies: 0, parkedBodies: 0 }
    for (let cursor: number | undefined = 0; cursor !== undefined;) {
      const step: Awaited<ReturnType<Upkeep['purge']>> = await ledger.purge(keep, cursor, how)
      sums.deliveries += step.deliveries
      sums.dueBodies += step.dueBodies
      sums.parkedBodies += step.parkedBodies
      cursor = step.cursor
    }
    return sums
  }
  const countMarks = async () => Number((await execute(url, 'select count(*) as count from event_marks'))[0]?.['count'])

  it('are created ahead, at the start and by every purge', async () => {
    expect(await names()).toEqual(['events_from_1', 'events_from_100001', 'events_from_200001'])
    await setLast(100_000)
    await accept('pa_req_1', '{}')
    await purge()
    expect(await names()).toEqual(['events_from_100001', 'events_from_200001', 'events_from_300001'])
    await setLast(250_000)
    await createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) }).close()
    expect((await listPartitions(storage.db)).filter(({ from }) => from > 250_000)).toHaveLength(2)
  })

  it('hold about a day of events each', async () => {
    await setLast(100_000)
    await accept('pa_req_1', '{}')
    const before = (await execute(url, 'select extract(epoch from now())::bigint * 1000 as now'))[0]?.['now']
    await execute(url, `update events set received_at = ${String(before)} - ${dayMs / 2}`)
    await setLast(299_999)
    now = Number(before)
    await accept('pa_req_1', '{"n":2}')
    await purge()
    const widths = (await listPartitions(storage.db)).map(({ from, to }) => Math.round((to - from) / 1_000))
    expect(widths).toEqual([100, 100, 400, 400, 400])
  })

  it('lose no event whose number has no partition, even if another process stores one at that moment', async () => {
    const other = createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) })
    await setLast(7_000_000)
    const delivery = { kind: undefined, eventType: 'x', eventKey: undefined, source: 'webhook' as const }
    const accepted = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        (n % 2 === 0 ? ledger : other).accept({ ...delivery, resourceId: `${n}`, body: Buffer.from('{}') }),
      ),
    )
    await other.close()
    expect(new Set(accepted.map(({ eventId }) => eventId)).size).toBe(50)
    expect((await ledger.counts()).events).toBe(50)
    expect((await listPartitions(storage.db)).at(-2)?.from).toBeGreaterThan(7_000_000)
  })

  it('recognise a copy of an event in another partition, and no copy of an earlier state', async () => {
    const first = await accept('pa_req_1', 'A')
    const keyed = await accept('pa_req_1', 'K', { eventKey: 'wh_1', eventType: 'prior_authorization.message' })
    const stray = await accept('', 'S', { resourceId: undefined, kind: undefined })
    await fillPartition()
    expect(await accept('pa_req_1', 'A')).toEqual({ ...first, duplicate: true })
    expect(await accept('pa_req_1', 'L', { eventKey: 'wh_1' })).toEqual({ ...keyed, duplicate: true })
    expect(await accept('', 'S', { resourceId: undefined, kind: undefined })).toEqual({ ...stray, duplicate: true })
    expect(await accept('pa_req_2', 'L', { eventKey: 'wh_1' })).toMatchObject({ duplicate: false })
    expect(await accept('pa_req_1', 'B')).toMatchObject({ duplicate: false })
    await fillPartition()
    const again = await accept('pa_req_1', 'A')
    expect(again.duplicate).toBe(false)
    expect(again.eventId).toBeGreaterThan(200_000)
    expect((await ledger.resource('pa_req_1'))?.repeats).toBe(2)
  })

  it('are dropped whole once all their events are old, and count as deleted', async () => {
    for (const id of ['pa_req_1', 'pa_req_2']) {
      await accept(id, 'A', { eventKey: `wh_${id}` })
      await work(id)
    }
    await fillPartition()
    await accept('pa_req_3', 'B')
    await work('pa_req_3')
    await fillPartition()
    await pass(31)
    await accept('pa_req_4', 'C', { eventKey: 'wh_pa_req_4' })
    expect(await countMarks()).toBe(3)
    expect(await purge({ dryRun: true })).toEqual({ deliveries: 3, dueBodies: 0, parkedBodies: 0 })
    expect(await names()).toContain('events_from_1')
    expect(await purge()).toEqual({ deliveries: 3, dueBodies: 0, parkedBodies: 0 })
    expect(await names()).toEqual(['events_from_200001', 'events_from_300001', 'events_from_400001'])
    expect((await ledger.counts()).events).toBe(1)
    expect(await countMarks()).toBe(1)
    expect(await accept('pa_req_1', 'A', { eventKey: 'wh_pa_req_1' })).toMatchObject({ duplicate: false })
    expect((await work('pa_req_1')).progress.get('h')).toMatchObject({ state: 'synced' })
  })

  it('keep due and parked events while the others are deleted row by row', async () => {
    for (const id of ['due', 'parked', 'done']) await accept(id, 'A')
    await work('parked', { isParked: true })
    await work('done')
    await fillPartition()
    await accept('done', 'B')
    await work('done')
    await fillPartition()
    await pass(31)
    await accept('young', 'C')
    expect(await purge()).toEqual({ deliveries: 2, dueBodies: 0, parkedBodies: 0 })
    expect(await names()).toEqual(['events_from_1', 'events_from_200001', 'events_from_300001', 'events_from_400001'])
    expect(await accept('parked', 'A')).toMatchObject({ duplicate: true })
    expect(await accept('done', 'A')).toMatchObject({ duplicate: false })
    await pass(8)
    expect(await purge({ dryRun: true })).toEqual({ deliveries: 0, dueBodies: 1, parkedBodies: 0 })
    expect(await purge()).toEqual({ deliveries: 0, dueBodies: 1, parkedBodies: 0 })
    const claim = await ledger.claim('due', 1_000, { prior_authorization: ['new'] })
    expect(claim).toMatchObject({ events: [{ type: 'prior_authorization.status_change' }], newestBody: undefined })
  })

  it('are not dropped under an open reader, which blocks no new events; the next purge drops them', async () => {
    await accept('pa_req_1', 'A')
    await work('pa_req_1')
    await fillPartition()
    await pass(31)
    await accept('pa_req_0', 'B')
    const reader = new Client({ connectionString: url })
    await reader.connect()
    await reader.query('begin')
    await reader.query('select count(*) from events')
    const purging = purge()
    const stored = Array.from({ length: 20 }, (_, n) => accept(`pa_req_${n + 2}`, 'B'))
    expect((await Promise.all(stored)).filter(({ duplicate }) => duplicate)).toEqual([])
    expect(await purging).toEqual({ deliveries: 0, dueBodies: 0, parkedBodies: 0 })
    await reader.query('commit')
    await reader.end()
    expect(await purge()).toEqual({ deliveries: 1, dueBodies: 0, parkedBodies: 0 })
    expect(await names()).not.toContain('events_from_1')
  })

  it('are not dropped with an event that a transaction is about to store', async () => {
    await accept('pa_req_1', 'A')
    await work('pa_req_1')
    await pass(31)
    const writer = new Client({ connectionString: url })
    await writer.connect()
    await writer.query('begin')
    await writer.query(
      `insert into events (resource, resource_id, event_type, fingerprint, body, received_at, source)
      values (-9, 'pa_req_9', 'x', '', '', ${now}, 'webhook')`,
    )
    await fillPartition()
    await execute(url, "select nextval('events_id_seq')")
    // It waits for a quarter of a second at the most: if the query misses one purge, it sees the next.
    const purges: Promise<unknown>[] = []
    let ended = 0
    await until('it waits for the storing transaction', async () => {
      if (ended === purges.length) purges.push(purge().finally(() => (ended += 1)))
      const [row] = await execute(
        url,
        "select count(*) as count from pg_locks where mode = 'AccessExclusiveLock' and not granted",
      )
      return row?.['count'] !== '0'
    })
    await writer.query('commit')
    await writer.end()
    await Promise.all(purges)
    expect((await ledger.resource('pa_req_1'))?.events).toBe(1)
    await purge()
    expect((await ledger.resource('pa_req_1'))?.events).toBe(0)
    expect(await execute(url, "select id from events where resource_id = 'pa_req_9'")).toHaveLength(1)
  })

  it('are read three at most per statement of a delivery or run, however many exist', async () => {
    await accept('pa_req_1', 'A')
    for (let n = 0; n < 30; n += 1) {
      await fillPartition()
      await accept(`other_${n}`, 'A')
      await purge()
    }
    expect((await names()).length).toBeGreaterThan(30)
    const spy = vi.spyOn(Client.prototype, 'query')
    await accept('pa_req_2', 'A')
    expect(await accept('pa_req_2', 'A', { eventKey: 'wh_1' })).toMatchObject({ duplicate: true })
    await work('pa_req_2')
    await accept('pa_req_2', 'B', { eventKey: 'wh_2' })
    await work('pa_req_2')
    // As the ledger calls it.
    const statements = new Map(spy.mock.calls as unknown as [string, unknown[]][])
    spy.mockRestore()
    const touched: Record<string, number> = {}
    for (const [sql, values] of statements) {
      if (!/\bevents\b/.test(sql) || sql.startsWith('insert')) continue
      const { rows } = await storage.db.executeQuery(CompiledQuery.raw(`explain ${sql}`, values))
      // As PostgreSQL answers it.
      const plan = (rows as { 'QUERY PLAN': string }[]).map((row) => row['QUERY PLAN']).join('\n')
      touched[sql] = new Set(plan.match(/events_from_\d+/g)).size
    }
    expect(Object.keys(touched).length).toBeGreaterThanOrEqual(3)
    expect(Object.entries(touched).filter(([, count]) => count > 3)).toEqual([])
  })
})
