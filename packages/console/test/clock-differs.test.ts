import request from 'supertest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { startServer } from '../../base/src/net/server.ts'
import { createSandbox, type Sandbox } from '../../sandbox/src/sandbox.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope, signToken } from '../../../test/support/webhook.ts'

const minuteMs = 60_000
/** Has pawl read each resource from the service. */
const reader = defineHandler({ name: 'reader', on: ['prior_authorization.status_change'], async handle() {} })
let sandbox: Sandbox
let gateway: LocalGateway
let serviceAheadMs: number | undefined
let closeService: () => Promise<void>
let service: Record<string, string>

beforeEach(async () => {
  sandbox = createSandbox({ speed: 100_000 })
  const server = await startServer(
    (req, res) => {
      if (serviceAheadMs !== undefined) res.setHeader('date', new Date(Date.now() + serviceAheadMs).toUTCString())
      sandbox.app(req, res)
    },
    { host: '127.0.0.1', port: 0 },
  )
  closeService = () => server.close(0)
  service = { API_BASE_URL: server.url, API_TOKEN: await sandbox.issueToken() }
})
afterEach(async () => {
  await gateway.destroy()
  await closeService()
  await sandbox.close()
})

const status = () => runCommand(gateway.adminUrl, 'status')
const page = async (path: string) => (await request(gateway.adminUrl).get(path)).text

/** Seconds by which the metric has the clock ahead. */
async function aheadInMetrics(): Promise<number> {
  let metrics = ''
  await until('the service has answered', async () => {
    metrics = await page('/metrics')
    return /^pawl_clock_ahead_seconds -?[\d.]+$/m.test(metrics)
  })
  return Number(/^pawl_clock_ahead_seconds (.*)$/m.exec(metrics)?.[1])
}

it.each([
  [20 * minuteMs, '20 min behind'],
  [-20 * minuteMs, '20 min ahead of'],
])("a service %i ms ahead of this machine's clock shows in status, overview and metrics", async (aheadMs, says) => {
  serviceAheadMs = aheadMs
  gateway = await startLocalGateway({ handlers: [reader] }, service)
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  expect(Math.abs((await aheadInMetrics()) + aheadMs / 1_000)).toBeLessThanOrEqual(1)
  expect(await status()).toContain(`This machine's clock is ${says} the service's. Deliveries may be refused.`)
  expect(await page('/')).toContain('/runbook#this-machines-clock-is-wrong')
  expect(await page('/runbook')).toContain('id="this-machines-clock-is-wrong"')
})

it('a sandbox whose own time runs ahead is no wrong clock', async () => {
  serviceAheadMs = undefined
  gateway = await startLocalGateway({ handlers: [reader] }, service)
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  expect(Math.abs(await aheadInMetrics())).toBeLessThan(120)
  expect(await status()).not.toContain("This machine's clock")
})

it('refusals by a clock that was ahead lead to its section, and are not of the future once it is set back', async () => {
  let aheadMs = 20 * minuteMs
  gateway = await startLocalGateway(
    { handlers: [], api: createScriptedApi().api, clock: { now: () => Date.now() + aheadMs } },
    { ALERT_REFUSED_PER_HOUR: '1', ALERT_INTERVAL_MS: '100' },
  )
  expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }), { token: await signToken() })).status).toBe(401)
  await until('an alert is open', async () => (await gateway.ledger.openAlerts()).length > 0)
  const said = (await page('/alerts')).replaceAll(/<[^>]*>/g, '')
  expect(said).toContain('Deliveries have been refused')
  expect(said).toMatch(/Opened in \d+ min/)
  expect(await page('/alerts')).toContain('/runbook#this-machines-clock-is-wrong')
  aheadMs = 0
  await until('its times are of now', async () => !(await page('/alerts')).replaceAll(/<[^>]*>/g, '').includes('in 1'))
  const [open] = await gateway.ledger.openAlerts()
  expect(open?.beganAt).toBeLessThanOrEqual(Date.now())
  const [refusal] = await gateway.ledger.listRejections({}, 1)
  expect(refusal?.at).toBeLessThanOrEqual(Date.now())
  const { body } = await request(gateway.adminUrl).get('/api/status')
  const [finding] = (body as { verdict: { code: string; since: number; runbook: string }[] }).verdict
  expect(finding).toMatchObject({ code: 'refused_by_clock', runbook: 'this-machines-clock-is-wrong' })
  expect(finding?.since).toBeLessThanOrEqual(Date.now())
})
