import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openPostgresPool } from '../../packages/base/src/net/postgres-pool.ts'
import { createLedger } from '../../packages/ledger/src/create-ledger.ts'
import { openPostgres } from '../../packages/ledger/src/postgres/open-postgres.ts'
import { createSeal } from '../../packages/ledger/src/sealing/seal.ts'
import { createPostgresQueue } from '../../src/queue/postgres-queue.ts'
import { createPostgresBudgetStore } from '../../packages/client/src/api/postgres-budget-store.ts'
import { aDelivery } from '../../packages/ledger/test/a-delivery.ts'
import { captureLog } from '../support/log-capture.ts'
import { describeWithPostgres, startPostgres, type TestPostgres } from '../support/postgres.ts'
import { type Relay, startRelay } from '../support/relay.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startLocalGateway } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const hourMs = 3_600_000

describeWithPostgres('a PostgreSQL address that leads to a read-only replica for a while', () => {
  let primary: TestPostgres
  let replica: TestPostgres
  let relay: Relay
  let url: string
  let ended: (() => Promise<unknown> | void)[]

  beforeAll(async () => {
    primary = await startPostgres()
    replica = await startPostgres({ replicaOf: primary.port })
  })
  afterAll(async () => {
    await replica.close()
    await primary.close()
  })
  beforeEach(async () => {
    const address = new URL(await primary.createLedgerDatabase())
    relay = await startRelay(primary.port)
    address.port = String(relay.port)
    url = address.href
    ended = []
    await until('the replica has the database', () => isReadable(replica.port))
  })
  afterEach(async () => {
    relay.leadTo(primary.port)
    for (const end of ended) await end()
    await relay.close()
  })

  async function isReadable(port: number): Promise<boolean> {
    const client = new Client({ connectionString: Object.assign(new URL(url), { port: String(port) }).href })
    client.on('error', () => {})
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    )
  }

  /** As in a failover: the primary ends its connections, and new ones reach the replica. */
  async function moveToReplica(): Promise<void> {
    relay.leadTo(replica.port)
    await primary.cutConnections()
  }

  it('keeps every acknowledged delivery, is not ready meanwhile, and stores the first one after the failover', async () => {
    const { log } = captureLog()
    const parts = { api: createScriptedApi().api, handlers: [], log }
    const gateway = await startLocalGateway(parts, { DATABASE_URL: url })
    ended.push(gateway.destroy)
    const readyz = async () => (await fetch(`${gateway.adminUrl}/readyz`)).status
    const acknowledged: string[] = []
    let sent = 0
    async function send(): Promise<number> {
      const id = `pa_req_${(sent += 1)}`
      const { status } = await deliver(gateway.url, envelope({ id }))
      if (status === 202) acknowledged.push(id)
      return status
    }
    expect(await send()).toBe(202)
    expect(await readyz()).toBe(200)
    await moveToReplica()
    await until('deliveries are turned away', async () => (await send()) === 503)
    // As many connections as the pools hold.
    expect(await Promise.all(Array.from({ length: 20 }, send))).not.toContain(202)
    expect(await readyz()).toBe(503)
    relay.leadTo(primary.port)
    expect(await Promise.all(Array.from({ length: 20 }, send))).not.toContain(503)
    await until('it is ready', async () => (await readyz()) === 200)
    expect(await Promise.all(Array.from({ length: 20 }, send))).not.toContain(503)
    expect((await gateway.ledger.counts()).events).toBe(acknowledged.length)
  })

  it('leaves claims with a live process while another starts after the failover', async () => {
    const open = async () => {
      const ledger = createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) })
      ended.push(ledger.close)
      return ledger
    }
    const first = await open()
    await first.accept(aDelivery({ resourceId: 'pa' }))
    expect(await first.claim('pa', hourMs, { prior_authorization: ['chart'] })).toBeDefined()
    await moveToReplica()
    // Long enough for its presence to look for another server.
    await sleep(3_000)
    relay.leadTo(primary.port)
    const second = await open()
    await sleep(4_000)
    expect(await second.claim('pa', hourMs, { prior_authorization: ['chart'] })).toBeUndefined()
  })

  it('carries ids between queues, and shares allowances, once it is back', async () => {
    const { log } = captureLog()
    const [near, far] = [createPostgresQueue({ url, log }), createPostgresQueue({ url, log })]
    const budgets = createPostgresBudgetStore(url)
    ended.push(near.close, far.close, budgets.close)
    const heard: string[] = []
    far.start((id) => Promise.resolve(void heard.push(id)), 1)
    const spend = () => budgets.update(['key'], ([allowance]) => ({ allowances: [allowance], result: 'spent' }))
    expect(await spend()).toBe('spent')
    await near.enqueue('before')
    await moveToReplica()
    await until('the queue finds no server', () =>
      near.enqueue('meanwhile').then(
        () => false,
        () => true,
      ),
    )
    await expect(spend()).rejects.toMatchObject({ code: '25006' })
    await until('it is heard of', () => far.outage?.() !== undefined)
    relay.leadTo(primary.port)
    await near.enqueue('after')
    expect(await spend()).toBe('spent')
    await until('ids are heard again', async () => {
      await near.enqueue('later')
      return heard.includes('later')
    })
  })

  it('discards each connection whose server began to refuse writes', async () => {
    const { pool, close } = openPostgresPool({ connectionString: url, max: 1 })
    pool.on('error', () => {})
    ended.push(close)
    const pidOf = async (isReadOnly: boolean) => {
      const client = await pool.connect()
      try {
        const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
        if (isReadOnly) await client.query('set default_transaction_read_only = on')
        if (isReadOnly) await client.query('delete from outages').catch(() => {})
        return rows[0]?.pid
      } finally {
        client.release()
      }
    }
    const first = await pidOf(false)
    expect(await pidOf(true)).toBe(first)
    expect(await pidOf(false)).not.toBe(first)
  })
})
