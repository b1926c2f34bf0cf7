import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Express } from 'express'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '#pawl'
import { type FarSide, startFarSide } from '../../packages/testing/src/far-side.ts'
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts'
import type { Gateway } from '../../src/gateway.ts'
import type { AnyHandler } from '../../src/work/handler.ts'
import { ofPawl } from '../support/build-once.ts'
import { startCaseDesk } from '../support/case-desk.ts'
import { createForkTree, type ForkTree } from '../support/fork-tree.ts'
import { openLedgerRows, readRuns } from '../support/ledger-rows.ts'
import { captureLog } from '../support/log-capture.ts'
import { type PawlProcesses, preparePawl } from '../support/pawl-processes.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { freePort, type PawlProcess } from '../support/spawn-pawl.ts'
import { startLocalGateway, testEnvironment } from '../support/start-local-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope, signToken } from '../support/webhook.ts'
import { readForkOfPages } from './fork-of-pages.ts'
import { shellBlocks } from './shell-blocks.ts'

let examples: Map<string, string>
let fork: ForkTree

beforeAll(async () => {
  examples = await readForkOfPages()
  fork = await createForkTree(examples)
})
afterAll(() => fork.destroy())

/** The module that an example is. */
const load = (path: string): Promise<unknown> => import(`${fork.path}/${path}`)

/** Runs a command of the fork. */
const pawl = (args: readonly string[], env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ['dist/src/cli/pawl.js', ...args], {
    cwd: fork.path,
    env: { PATH: process.env.PATH, ...env },
  })

describe('the examples of README and docs, in one fork', () => {
  it('pass the checks of the project: types, lint, rooms, format', async () => {
    const own = [...examples.keys()]
    await fork.compile()
    await fork.run('oxlint', [
      '--type-aware',
      '--deny-warnings',
      'src/integration',
      ...own.filter((path) => !path.includes('/')),
    ])
    await fork.run('depcruise', ['src', 'packages', 'templates', '--config', '.dependency-cruiser.mjs'])
    // The index is put together of several pages.
    await fork.run('prettier', [
      '--check',
      ...own.filter((path) => path.endsWith('.ts') && !path.endsWith('/index.ts')),
    ])
  })

  it('pass their own tests, and those of the settings', async () => {
    const suites = ['src/integration', 'test/settings/config.test.ts']
    const printed = await fork.run('vitest', ['run', '--project', 'main', ...suites])
    for (const path of examples.keys()) if (path.endsWith('.test.ts')) expect(printed).toContain(path)
  })

  it('the smallest handler announces an approval once', async () => {
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await load('src/integration/announce-approvals.ts')) as { announceApprovals: AnyHandler }
    const service = createScriptedApi()
    const { log, lines } = captureLog()
    const gateway = await startLocalGateway({ api: service.api, handlers: [example.announceApprovals], log })
    service.set({ id: 'pa_req_1', status: 'completed', outcome: { result: 'Approved' } })
    for (const n of [1, 2]) {
      await deliver(gateway.url, envelope({ id: 'pa_req_1', n }))
      await until('in sync', async () => (await gateway.ledger.counts()).due === 0)
    }
    await gateway.destroy()
    expect(lines().filter((line) => line.msg === 'approved: tell the team here')).toHaveLength(1)
  })

  it('an error of your own says when the work is tried again', async () => {
    // The compiler cannot see what is in a file that the test has just written.
    const { ChartLocked } = (await load('src/integration/chart-locked.ts')) as {
      ChartLocked: new (text: string) => Error
    }
    const locked = defineHandler({
      name: 'locked',
      on: ['prior_authorization.status_change'],
      handle: () => Promise.reject(new ChartLocked('The chart is open elsewhere.')),
    })
    const { log, lines } = captureLog()
    const gateway = await startLocalGateway({ api: createScriptedApi().api, handlers: [locked], log })
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    const line = await until('it failed', () => lines().find(({ msg }) => msg === 'handler failed, will be retried'))
    await gateway.destroy()
    expect(line.error).toEqual({ code: 'chart_locked', message: 'The chart is open elsewhere.' })
    expect(line.retry_in_ms).toBeGreaterThanOrEqual(60_000)
  })

  it('an app of your own receives in front of its body parsers', async () => {
    for (const [name, value] of Object.entries(await testEnvironment())) vi.stubEnv(name, value)
    // The compiler cannot see what is in a file that the test has just written.
    const example = (await load('src/integration/my-app.ts')) as { app: Express; gateway: Gateway }
    vi.unstubAllEnvs()
    const body = JSON.stringify(envelope({ id: 'pa_req_1' }))
    const post = () => request(example.app).post('/webhooks').set('content-type', 'application/json').send(body)
    await post().expect(401)
    await post()
      .set('x-webhook-secret', await signToken())
      .expect(202)
    await request(example.app).get('/webhooks').expect(405)
    expect(await example.gateway.ledger.counts()).toMatchObject({ events: 1 })
    await example.gateway.close()
  })

  it('the script of docs/client.md creates a PA and follows it to its end', async () => {
    const sandbox = createSandbox({ speed: 1_000_000, seed: 1 })
    const { url } = await sandbox.listen()
    await writeFile(join(fork.path, '.env'), `API_BASE_URL=${url}\nAPI_TOKEN=${await sandbox.issueToken()}\n`)
    const block = shellBlocks('docs/client.md').find((each) => each.includes('create-prior-authorization.ts')) ?? ''
    const { stdout } = await promisify(execFile)('bash', ['-ec', block], { cwd: fork.path })
    await sandbox.close()
    expect(stdout).toMatch(/^pa_req_\w+ completed approved\n$/)
  })
})

describe('a fork with a third system, as a process', () => {
  let running: PawlProcess
  let service: FarSide
  let billing: FarSide
  let pawls: PawlProcesses
  let adminUrl: string
  let isBillingDown = true
  const invoices: string[] = []

  beforeAll(async () => {
    await fork.bundle([...ofPawl, 'src/cli/pawl.ts'])
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
    running = await pawls.start({}, { tree: fork.path })
  })
  afterAll(async () => {
    await pawls.close()
    await service.close()
    await billing.close()
  })

  it('shows it in readiness, metrics and status while it is away', async () => {
    for (let n = 0; n < 8; n += 1) await deliver(pawls.url, envelope({ id: `pa_req_${n}` }))
    const ready = async () => (await fetch(`${adminUrl}/readyz`)).json() as Promise<{ away: { system: string }[] }>
    await until('it is known to be away', async () => (await ready()).away.some(({ system }) => system === 'billing'))
    const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
    expect(metrics).toMatch(/pawl_breaker_open\{system="billing"\} (1|0\.5)/)
    expect(metrics).toContain('pawl_breaker_open{system="ehr"} 0')
    expect((await pawl(['status'], { ADMIN_PORT: new URL(adminUrl).port })).stdout).toMatch(
      /The system billing has been away/,
    )
  })

  it('invoices each approval once when it is back, with a receipt in the audit trail', async () => {
    isBillingDown = false
    await until('all are invoiced', () => new Set(invoices).size === 8)
    const rows = await openLedgerRows(`file:${join(pawls.folder, 'pawl.db')}`)
    const succeeded = async () =>
      (await readRuns(rows)).filter(({ handler, result }) => handler === 'invoice-approvals' && result === 'succeeded')
    await until('all runs are recorded', async () => (await succeeded()).length === 8)
    const receipts = (await succeeded()).flatMap(({ writes }) => writes)
    await rows.close()
    expect(receipts).toHaveLength(8)
    expect(receipts).toContainEqual({ system: 'billing', type: 'Invoice', id: 'inv-pa_req_0' })
    expect(invoices).toHaveLength(8)
    await until('the last line is printed', () =>
      running.output().includes('"invoice_id":"inv-pa_req_0","msg":"invoiced"'),
    )
  })

  it('is told by `pawl check` whether each of its systems can be used', async () => {
    const desk = await startCaseDesk()
    const env = { ...(await testEnvironment({ DATABASE_URL: 'file:unused.db' })), BILLING_URL: billing.url }
    const { stdout } = await pawl(['check'], { ...env, DESK_URL: desk.url, DESK_TOKEN: 'a-token' })
    await desk.close()
    expect(stdout).toMatch(/billing +ok +It answers\./)
    expect(stdout).toMatch(/desk +ok +It answers\./)
  })

  it('names a setting of its own that is wrong', async () => {
    const wrong = pawls.spawn({ BILLING_URL: 'nowhere' }, { tree: fork.path })
    expect(await wrong.exited).toBe(2)
    expect(wrong.output()).toContain('BILLING_URL: ')
    expect(wrong.output()).not.toContain('nowhere')
  })
})
