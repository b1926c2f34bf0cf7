import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { KyselyPlugin } from 'kysely'
import { Client } from 'pg'
import { expect, it } from 'vitest'
import { systemClock } from '../../../base/src/clock.ts'
import { startStatementCounter } from '../../../../bench/statement-counter.ts'
import { createLedger } from '../../src/create-ledger.ts'
import { openStorage } from '../../src/open-storage.ts'
import { lockClass } from '../../src/postgres/locks.ts'
import type { Note } from '../../src/hot/notes.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { atTime } from '../at-time.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { execute } from '../filled-ledger.ts'
import { describeLedger } from '../ledger-contract.ts'
import type { Delivery } from '../../src/hot/accept.ts'
import { aDelivery } from '../a-delivery.ts'

describeOnPostgres('a ledger with a PostgreSQL server', (createLedgerDatabase, createDatabase) => {
  describeLedger('PostgreSQL', async () => {
    const url = await createLedgerDatabase()
    return {
      async open({ clock, seal }) {
        const storage = await openPostgres(url, () => {})
        // The contract moves time by hand.
        return createLedger({ storage: atTime(storage, () => clock.now()), seal })
      },
      destroy: () => Promise.resolve(),
    }
  })

  const about = (resourceId: string | undefined, text: string): Delivery =>
    aDelivery({ resourceId, kind: resourceId === undefined ? undefined : 'prior_authorization', body: text })
  const open = async (url: string) => createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) })

  /** Keeps every write of the ledger waiting, in the middle of its transaction, until told to let go. */
  async function blockWrites(url: string, table = 'events', mode = 'access exclusive') {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('begin')
    await client.query(`lock table ${table} in ${mode} mode`)
    const waiting = `select count(*)::int as count from pg_locks where relation = '${table}'::regclass and not granted`
    return {
      client,
      isWaitedFor: async () => (await client.query<{ count: number }>(waiting)).rows[0]?.count !== 0,
      async letGo() {
        await client.query('commit')
        await client.end()
      },
    }
  }

  it('closes although the server does not answer, and fails pending calls', async () => {
    const network = await startNetwork(await createDatabase())
    const storage = await openPostgres(network.url, () => {}, { timeoutMs: 600_000 })
    const ledger = createLedger({ storage, seal: createSeal([]) })
    await ledger.accept(about('pa_req_1', '{"n":1}'))
    network.swallow()
    const pending = expect(ledger.accept(about('pa_req_1', '{"n":2}'))).rejects.toThrow()
    await Promise.all([ledger.close(), ledger.close()])
    await pending
    await network.close()
  })

  it('stores deliveries while retention waits for a row', async () => {
    const url = await createLedgerDatabase()
    const ledger = await open(url)
    await ledger.accept(about('pa_req_1', '{"n":1}'))
    await ledger.accept(about('pa_req_2', '{"n":2}'))
    await execute(url, 'update events set received_at = 0 where id = 1')
    await execute(url, 'update resources set due_at = null')
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select 1 from events where id = 1 for update')
    const dayMs = 86_400_000
    const purging = ledger.purge({ keepMs: dayMs, parkedKeepMs: dayMs, reportKeepMs: dayMs }, 0)
    const waiting = 'select count(*)::int as count from pg_locks where not granted'
    await until('it waits', async () => (await execute(url, waiting))[0]?.['count'] !== 0)
    expect(await ledger.accept(about('pa_req_3', '{"n":3}'))).toMatchObject({ duplicate: false })
    await holder.query('commit')
    await holder.end()
    expect((await purging).deliveries).toBe(1)
    await ledger.close()
  })

  it('dedupes identically at any isolation level of the server', async () => {
    const url = await createDatabase()
    const name = new URL(url).pathname.slice(1)
    await execute(url, `alter database ${name} set default_transaction_isolation = 'repeatable read'`)
    const [one, other] = await Promise.all([open(url), open(url)])
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 === 0 ? one : other).accept(about(undefined, `{"round":${round}}`)),
        ),
      )
      expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1)
    }
    await Promise.all([one.close(), other.close()])
  })

  it('fails alone the write with a value that PostgreSQL refuses, though the answer comes with that to others', async () => {
    const ledger = await open(await createDatabase())
    await ledger.accept(about('pa_req_1', '{}'))
    const claim = (await ledger.claim('pa_req_1', 10_000, {})) ?? expect.fail('It is due.')
    const snapshot = { of: 'snapshot' as const, text: '{}', eventId: 1, terminal: false, pollInMs: 1e30 }
    const beside = ['pa_req_2', 'pa_req_3'].map((id) => ledger.accept(about(id, '{}')))
    const refused = ledger.release(claim, { notes: [snapshot], dueInMs: undefined, restMs: 0 })
    const later = ['pa_req_4', 'pa_req_5'].map((id) => ledger.renew({ ...claim, resourceId: id }, 10_000))
    await expect(refused).rejects.toMatchObject({ code: '22P02' })
    expect(await Promise.all(beside)).toMatchObject([{ duplicate: false }, { duplicate: false }])
    expect(await Promise.all(later)).toEqual([false, false])
    expect(await ledger.renew(claim, 10_000)).toBe(true)
    await ledger.close()
  })

  it('repeats a write whose connection was cut before its commit', async () => {
    const url = await createDatabase()
    const ledger = await open(url)
    const block = await blockWrites(url)
    const accepted = ledger.accept(about('pa_req_1', '{"n":1}'))
    await until('the write has begun', block.isWaitedFor)
    await block.client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl'")
    await block.letGo()
    expect(await accepted).toMatchObject({ duplicate: false })
    expect(await ledger.resource('pa_req_1')).toMatchObject({ events: 1, repeats: 0 })
    await ledger.close()
  })

  it('keeps what a release in another process recorded while retention edits the same document', async () => {
    const url = await createLedgerDatabase()
    const dayMs = 86_400_000
    let now = 1_000 * dayMs
    const ledger = createLedger({ storage: atTime(await openPostgres(url, () => {}), () => now), seal: createSeal([]) })
    const bringUp = async (text: string | undefined, note: (eventId: number) => Note) => {
      now += 1_000
      await ledger.followClock(10_000)
      await ledger.accept(about('pa_req_1', `{"now":${now}}`))
      const claim =
        (await ledger.claim('pa_req_1', 10_000, { prior_authorization: ['h'] })) ?? expect.fail('It is due.')
      const eventId = claim.newestEventId
      const snapshot = { of: 'snapshot' as const, text, eventId, terminal: false, pollInMs: 1 }
      await ledger.release(claim, { notes: [snapshot, note(eventId)], dueInMs: undefined, restMs: 0 })
    }
    const runOf = (eventId: number) => ({
      handler: 'h',
      startedAt: 1,
      finishedAt: 2,
      firstEventId: 1,
      lastEventId: eventId,
      writes: [],
    })
    const failure = (eventId: number): Note => ({
      of: 'failure',
      run: { ...runOf(eventId), error: { code: 'x', message: 'x' }, attempts: 1, delayMs: 60_000 },
    })
    await bringUp('{"n":1}', (eventId) => ({ of: 'success', run: runOf(eventId) }))
    await bringUp('{"n":2}', failure)
    now += 500 * dayMs
    await bringUp(undefined, failure)

    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('begin')
    const memory = JSON.stringify({ chart: { task: { id: 'Task/1' } } })
    await other.query(
      "update states set document = (document::jsonb || jsonb_build_object('memory', $1::jsonb))::text",
      [memory],
    )
    const keep = { keepMs: 30 * dayMs, parkedKeepMs: 365 * dayMs, reportKeepMs: 400 * dayMs }
    const purging = (async () => {
      for (let cursor: number | undefined = 0; cursor !== undefined;) cursor = (await ledger.purge(keep, cursor)).cursor
    })()
    const blocked = 'select count(*)::int as count from pg_locks where not granted'
    await until(
      'retention waits for the release',
      async () => (await other.query<{ count: number }>(blocked)).rows[0]?.count === 1,
    )
    await other.query('commit')
    await purging
    const { rows } = await other.query<{ count: number }>('select count(*)::int as count from baselines')
    expect(rows).toEqual([{ count: 0 }])
    expect((await ledger.readMemory('chart', 'pa_req_1')).get('task')).toMatchObject({ id: 'Task/1' })
    await other.end()
    await ledger.close()
  })

  it('waits twice for PostgreSQL to accept a delivery, thrice to claim and to release', async () => {
    const counter = await startStatementCounter(await createLedgerDatabase())
    const ledger = await open(counter.url)
    const roundTripsOf = async <T>(call: Promise<T>) => {
      const before = counter.read().roundTrips
      return { result: await call, count: counter.read().roundTrips - before }
    }
    // The first statements of a connection.
    await ledger.accept(about('pa_req_0', '{}'))
    const accepted = await roundTripsOf(ledger.accept(about('pa_req_1', '{}')))
    const claimed = await roundTripsOf(ledger.claim('pa_req_1', 10_000, { prior_authorization: ['h'] }))
    const claim = claimed.result ?? expect.fail('It is due.')
    const run = { handler: 'h', startedAt: 1, finishedAt: 2, firstEventId: 2, lastEventId: 2, writes: [] }
    const snapshot = { of: 'snapshot' as const, text: '{}', eventId: 2, terminal: false, pollInMs: 1 }
    const notes = [snapshot, { of: 'success' as const, run }]
    const released = await roundTripsOf(ledger.release(claim, { notes, dueInMs: undefined, restMs: 0 }))
    await ledger.close()
    counter.close()
    expect([accepted.count, claimed.count, released.count]).toEqual([2, 3, 3])
  })

  it('claims again where the connection was cut between the last statement and the commit', async () => {
    const url = await createLedgerDatabase()
    const ledger = await open(url)
    await ledger.accept(about('pa_req_1', '{"n":1}'))
    const block = await blockWrites(url, 'resources', 'share')
    const claimed = ledger.claim('pa_req_1', 10_000, { prior_authorization: ['h'] })
    await until('the claim has read', block.isWaitedFor)
    await block.client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pawl'")
    await block.letGo()
    expect(await claimed).toMatchObject({ resourceId: 'pa_req_1' })
    await ledger.close()
  })

  it('syncs forty resources with the statements of one', async () => {
    const storage = await openPostgres(await createDatabase(), () => {})
    let statements = 0
    const count: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult({ result }) {
        statements += 1
        return Promise.resolve(result)
      },
    }
    const ledger = createLedger({ storage: { ...storage, db: storage.db.withPlugin(count) }, seal: createSeal([]) })
    const handlers = { prior_authorization: ['h'] }
    const syncPas = async (ids: readonly string[]) => {
      await Promise.all(ids.map((id) => ledger.accept(about(id, '{}'))))
      statements = 0
      const claims = await Promise.all(ids.map((id) => ledger.claim(id, 10_000, handlers)))
      await Promise.all(
        claims.map((claim) => {
          if (claim === undefined) return expect.fail('It is due.')
          const lastEventId = claim.newestEventId
          const run = { handler: 'h', startedAt: 1, finishedAt: 2, firstEventId: lastEventId, lastEventId, writes: [] }
          const snapshot = { of: 'snapshot' as const, text: '{}', eventId: lastEventId, terminal: false, pollInMs: 1 }
          return ledger.release(claim, { notes: [snapshot, { of: 'success', run }], dueInMs: undefined, restMs: 0 })
        }),
      )
      return statements
    }
    const ofOne = await syncPas(['pa_req_one'])
    const ofForty = await syncPas(Array.from({ length: 40 }, (_, n) => `pa_req_${n}`))
    await ledger.close()
    expect(ofOne).toBeGreaterThan(0)
    expect(ofForty).toBe(ofOne)
  })

  it('takes at most 128 locks of the server, however many resources a commit writes to', async () => {
    const url = await createDatabase()
    const ledger = await open(url)
    const block = await blockWrites(url)
    const accepted = Array.from({ length: 1_000 }, (_, n) => ledger.accept(about(`pa_req_${n}`, '{}')))
    await until('the write has begun', block.isWaitedFor)
    const { rows } = await block.client.query<{ count: number }>(
      `select count(*)::int as count from pg_locks where locktype = 'advisory' and classid = ${lockClass}
        and database = (select oid from pg_database where datname = current_database())`,
    )
    await block.letGo()
    await Promise.all(accepted)
    await ledger.close()
    expect(rows[0]?.count).toBeGreaterThan(0)
    expect(rows[0]?.count).toBeLessThanOrEqual(128)
  })

  it('separates the ledgers of two schemas in one database', async () => {
    const url = await createDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('create schema clinic_a; create schema clinic_b')
    const openIn = async (schema: string) => {
      const address = `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`
      const storage = await openStorage(address, { clock: systemClock, onError() {} })
      return createLedger({ storage, seal: createSeal([]) })
    }
    const a = await openIn('clinic_a')
    const b = await openIn('clinic_b')
    await a.accept(about('pa_req_1', '{"of":"a"}'))
    const ofB = await b.accept(about('pa_req_2', '{"of":"b"}'))
    expect(await Promise.all([a.due(10), b.due(10)])).toEqual([['pa_req_1'], ['pa_req_2']])
    expect(await b.accept(about('pa_req_2', '{"of":"b"}'))).toMatchObject({ eventId: ofB.eventId, duplicate: true })
    await client.query('create table clinic_a.unfinished_copy (name text)')
    await b.close()
    const again = await openIn('clinic_b')
    expect(await again.counts()).toMatchObject({ events: 1 })
    await expect(openIn('clinic_c')).rejects.toThrow(/schema .* does not exist: create it/)
    await Promise.all([a.close(), again.close(), client.end()])
  })

  it('stores deliveries while more views than connections wait for the database', async () => {
    const url = await createDatabase()
    const ledger = await open(url)
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('begin')
    await client.query('lock table rejections in access exclusive mode')
    const views = Array.from({ length: 12 }, () => ledger.listRejections({}, 1))
    const settled = Promise.allSettled(views)
    const waiting =
      "select count(*)::int as count from pg_locks where relation = 'rejections'::regclass and not granted"
    await until('views wait', async () => ((await client.query<{ count: number }>(waiting)).rows[0]?.count ?? 0) >= 3)
    expect(await ledger.accept(about('pa_req_1', '{}'))).toMatchObject({ duplicate: false })
    await client.query('commit')
    await client.end()
    expect((await settled)[0]).toEqual({ status: 'fulfilled', value: [] })
    await ledger.close()
  })

  it('replaces a connection that does not answer', async () => {
    const network = await startNetwork(await createDatabase())
    const storage = await openPostgres(network.url, () => {}, { timeoutMs: 3_000 })
    const ledger = createLedger({ storage, seal: createSeal([]) })
    const accept = (text: string) => ledger.accept(about('pa_req_1', text))
    await accept('{"n":1}')
    // As if the route to the server had changed: the old connections get no notice.
    network.swallow()
    await expect(accept('{"n":2}')).rejects.toThrow('timeout')
    // The pool may hold more than one such connection.
    await until('it is stored', () => accept('{"n":3}').catch(() => undefined))
    await ledger.close()
    await network.close()
  })
})

/** A way to PostgreSQL that can stop carrying what goes over the connections of now. */
async function startNetwork(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}))
    near.pipe(far).pipe(near)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  // A TCP server that listens has such an address.
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    swallow() {
      for (const socket of sockets) socket.unpipe().resume()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
