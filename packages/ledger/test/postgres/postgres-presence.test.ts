import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLedger } from '../../src/create-ledger.ts'
import type { Ledger } from '../../src/ledger.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { createSeal } from '../../src/sealing/seal.ts'
import { describeOnPostgres } from '../../../../test/support/postgres.ts'
import { until } from '../../../../test/support/until.ts'
import { aDelivery } from '../a-delivery.ts'

const hourMs = 3_600_000

describeOnPostgres('the claims of a process on PostgreSQL', (createLedgerDatabase) => {
  let client: Client
  let url: string
  let opened: Ledger[]

  beforeEach(async () => {
    opened = []
    url = await createLedgerDatabase()
    client = new Client({ connectionString: url })
    await client.connect()
  })
  afterEach(async () => {
    await Promise.all(opened.map((ledger) => ledger.close()))
    await client.end()
  })

  async function open(): Promise<Ledger> {
    const ledger = createLedger({ storage: await openPostgres(url, () => {}), seal: createSeal([]) })
    opened.push(ledger)
    return ledger
  }

  /** Claims a new resource for an hour. */
  async function claim(ledger: Ledger) {
    await ledger.accept(aDelivery({ resourceId: 'pa' }))
    return ledger.claim('pa', hourMs, { prior_authorization: ['chart'] })
  }
  const claimAgain = (ledger: Ledger) => ledger.claim('pa', hourMs, { prior_authorization: ['chart'] })
  const processes = async () => (await client.query<{ name: string }>('select name from processes')).rows

  it('end when the next process starts after a crash, and count as lost', async () => {
    const first = await open()
    await claim(first)
    const [own] = await processes()
    // As if its process had been killed: its lock is gone, what it wrote is not.
    await client.query("update processes set name = '4'")
    await client.query(`update resources set claim_owner = replace(claim_owner, '${own?.name}:', '4:')`)
    const second = await open()
    const claimed = await until('the claim is free', () => claimAgain(second))
    expect(claimed).toMatchObject({ suspect: true })
    expect(await processes()).not.toContainEqual({ name: '4' })
  })

  it('stay with a live process, even right after all its connections were cut', async () => {
    const first = await open()
    await claim(first)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()')
    const second = await open()
    await sleep(3_000)
    expect(await claimAgain(second)).toBeUndefined()
  })

  it('leave no trace of a process that exited cleanly', async () => {
    const first = await open()
    expect(await processes()).toHaveLength(1)
    await first.close()
    expect(await processes()).toEqual([])
  })
})
