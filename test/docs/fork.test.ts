import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sqlite } from '../../packages/base/src/sqlite.ts'
import { type FarSide, startFarSide } from '../../src/testing/far-side.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { freePort, type PawlProcess } from '../support/spawn-pawl.ts'
import { testEnvironment } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { readReadmeExamples } from './readme-examples.ts'

/** A test of the fork's own, beside its handler. */
const ownTest = `import { expect, it } from 'vitest'
import { aPriorAuthorization, approved, expectIdempotent, runHandler } from '#pawl/testing'
import { invoiceApprovals } from './invoice-approvals.ts'

const to = aPriorAuthorization({ status: 'completed', outcome: approved() })
const systems = { billing: { invoice: async () => 'inv-1' } }

it('invoices an approval', async () => {
  const { calls } = await runHandler(invoiceApprovals, { to, systems })
  expect(calls).toEqual([{ system: 'billing', method: 'invoice', args: [to.id] }])
})

// Billing drops an invoice under an id that it has.
it('may run again', () => expectIdempotent(invoiceApprovals, { to, systems, repeatable: ['billing.invoice'] }))
`

/** Lines that must not compile in a handler of the fork. */
const ownTypes = `import { defineHandler } from '#pawl'

export const typed = defineHandler({
  name: 'typed',
  on: ['prior_authorization.status_change'],
  async handle({ billing, settings, ehr, resource, log }) {
    const id: string = await billing.invoice(resource.id)
    const url: string | undefined = settings.BILLING_URL
    await ehr.putPriorAuthorization(resource)
    // @ts-expect-error -- the port has no such method
    await billing.refund(id)
    // @ts-expect-error -- an undeclared setting
    void settings.BILLING_TOKEN
    void url
    log.info({ invoice_id: id, status: resource.status }, 'typed')
    // @ts-expect-error -- an undeclared log field
    log.info({ invoice: id }, 'typed')
  },
})
`

describe('a fork with a handler, a connector, a third system and a setting of its own', () => {
  let fork: ForkTree
  let pawl: PawlProcess
  let service: FarSide
  let billing: FarSide
  let pawls: PawlProcesses
  let adminUrl: string
  let isBillingDown = true
  const invoices: string[] = []

  beforeAll(async () => {
    const examples = await readReadmeExamples()
    fork = await createForkTree(
      new Map([
        ...[...examples].filter(([path]) => path.startsWith('src/integration/')),
        ['src/integration/invoice-approvals.test.ts', ownTest],
        ['src/integration/typed.ts', ownTypes],
      ]),
    )
    service = await startFarSide(({ path }) => {
      const id = path.split('/').at(-1)
      const data = { id, status: 'completed', outcome: { result: 'Approved' } }
      return { status: 200, body: JSON.stringify({ status: 'success', error: null, data }) }
    })
    billing = await startFarSide(({ method, headers }) => {
      if (method === 'GET') return { status: 200, body: '' }
      if (isBillingDown) return { status: 503, body: '' }
      const key = String(headers['idempotency-key'])
      invoices.push(key)
      return { status: 201, body: `inv-${key}` }
    })
    const adminPort = await freePort()
    adminUrl = `http://127.0.0.1:${adminPort}`
    pawls = await preparePawl({
      ADMIN_PORT: String(adminPort),
      API_BASE_URL: service.url,
      BILLING_URL: billing.url,
      RETRY_ATTEMPTS: '1000',
    })
    pawl = await pawls.start({}, { tree: fork.path })
  })
  afterAll(async () => {
    await pawls.close()
    await service.close()
    await billing.close()
    await fork.destroy()
  })

  const status = () =>
    fork.run('tsx', ['--conditions=source', 'src/cli/pawl.ts', 'status'], { ADMIN_PORT: new URL(adminUrl).port })

  it('has its types reach its handlers, and its tests run beside them', async () => {
    await fork.compile()
    expect(await fork.run('vitest', ['run', 'src/integration'])).toContain('5 passed')
  })

  it('shows the third system in readiness, metrics and status while it is away', async () => {
    for (let n = 0; n < 8; n += 1) await deliver(pawls.url, envelope({ id: `pa_req_${n}` }))
    const ready = async () => (await fetch(`${adminUrl}/readyz`)).json() as Promise<{ away: { system: string }[] }>
    await until('it is known to be away', async () => (await ready()).away.some(({ system }) => system === 'billing'))
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics).toMatch(/pawl_breaker_open\{system="billing"\} (1|0\.5)/)
    expect(metrics).toContain('pawl_breaker_open{system="ehr"} 0')
    expect(await status()).toMatch(/The system billing has been away/)
  })

  it('invoices each approval once when it is back, with a receipt in the audit trail', async () => {
    isBillingDown = false
    await until('all are invoiced', () => new Set(invoices).size === 8)
    const database = new Sqlite(join(pawls.folder, 'pawl.db'), { readonly: true })
    // The compiler cannot see the columns of a query.
    const succeeded = () =>
      database
        .prepare(`select writes from attempts where handler = 'invoice-approvals' and result = 'succeeded'`)
        .all() as { writes: string }[]
    await until('all runs are recorded', () => succeeded().length === 8)
    const receipts = succeeded().flatMap(({ writes }) => JSON.parse(writes) as object[])
    database.close()
    expect(receipts).toHaveLength(8)
    expect(receipts).toContainEqual({ system: 'billing', type: 'Invoice', id: 'inv-pa_req_0' })
    expect(invoices).toHaveLength(8)
    await until('the last line is printed', () =>
      pawl.output().includes('"invoice_id":"inv-pa_req_0","msg":"invoiced"'),
    )
  })

  it('is told by its own check whether the third system can be used', async () => {
    const env = { ...(await testEnvironment({ DATABASE_URL: 'file:unused.db' })), BILLING_URL: billing.url }
    const printed = await fork.run('tsx', ['--conditions=source', 'src/cli/pawl.ts', 'check'], env)
    expect(printed).toMatch(/billing +ok +It answers\./)
  })

  it('names a setting of its own that is wrong', async () => {
    const wrong = pawls.spawn({ BILLING_URL: 'nowhere' }, { tree: fork.path })
    expect(await wrong.exited).toBe(2)
    expect(wrong.output()).toContain('BILLING_URL: ')
    expect(wrong.output()).not.toContain('nowhere')
  })
})
