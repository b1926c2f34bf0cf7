import { afterEach, beforeEach, expect, it } from 'vitest'
import request from 'supertest'
import { defineHandler, PawlError } from '../../../../src/index.ts'
import { type FarSide, startFarSide } from '../../../testing/src/far-side.ts'
import { captureLog } from '../../../../test/support/log-capture.ts'
import { runCommand } from '../../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../../test/support/start-local-gateway.ts'
import { until } from '../../../../test/support/until.ts'
import { deliver, envelope } from '../../../../test/support/webhook.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

const chart = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  async handle() {
    throw new ChartLocked('The chart is open elsewhere.')
  },
})

let gateway: LocalGateway
let hook: FarSide
let status: number
const exitCode = process.exitCode

beforeEach(async () => {
  status = 200
  hook = await startFarSide(() => ({ status }))
  const env = { ALERT_URL: hook.url, ALERT_INTERVAL_MS: '50' }
  gateway = await startLocalGateway(
    { api: createScriptedApi().api, handlers: [chart], log: captureLog().log, random: () => 1 },
    env,
  )
})
afterEach(async () => {
  process.exitCode = exitCode
  await gateway.destroy()
  await hook.close()
})

const pawl = (...args: string[]) => runCommand(gateway.adminUrl, ...args)
const exits = () => {
  const code = process.exitCode ?? 0
  process.exitCode = exitCode
  return code
}

it('a gateway sends what is parked, and shows it in the status, by a command, on a page and in the metrics', async () => {
  expect(await pawl('alerts')).toBe('No alert is open.\nurl        nothing sent yet')
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  await until('the alert was sent', () =>
    hook.requests.some(({ body }) => /1 case parked since .+ \(chart: chart_locked\)/.test(body)),
  )
  await until('that is noted', async () => (await gateway.ledger.alertTargets(['url']))[0]?.waiting === 0)
  expect(await pawl('alerts')).toMatch(
    /^1 case parked since [\d:]+ \(chart: chart_locked\)\. Nothing lost\.( Such as pa_req_1\.)?\n  Fix it, then: pawl retry --handler chart --error chart_locked\nurl +last message \d+ s ago$/,
  )
  expect(await pawl('status')).toMatch(/^1 case parked since .*chart: chart_locked/m)
  expect(exits()).toBe(0)
  expect(await pawl('alerts', '--history')).toMatch(/ open +1 case parked since [\d:]+ \(chart: chart_locked\)/)
  expect(JSON.parse(await pawl('alerts', '--json'))).toMatchObject({ open: [{ kind: 'work', level: 100 }] })
  await until('the metrics say so', async () => {
    const { text } = await request(gateway.adminUrl).get('/metrics')
    return text.includes('pawl_alerts_open{kind="work"} 1') && text.includes('pawl_alert_target_up{target="url"} 1')
  })
  const { text } = await request(gateway.adminUrl).get('/alerts').expect(200)
  expect(text).toContain('<a href="/parked?handler=chart&amp;error=chart_locked">1 case parked since ')
  expect(text).toContain('<code>pawl retry --handler chart --error chart_locked</code>')
})

it('a target that takes nothing shows in the status, by exit codes, on the overview and in the metrics', async () => {
  status = 500
  expect(await pawl('alerts', 'test')).toBe('url        not accepted: http_500')
  expect(exits()).toBe(1)
  await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
  await until('it counts as dead', async () => ((await gateway.ledger.alertTargets(['url']))[0]?.failures ?? 0) >= 3)
  // The next check opens the alert.
  const says = /^Alerts do not reach the target url since .*attempts failed\.$/m
  await until('the status says so', async () => says.test(await pawl('status')))
  expect(exits()).toBe(1)
  await pawl('alerts', '--json')
  expect(exits()).toBe(1)
  await until('the overview and the metrics say so', async () => {
    const [overview, metrics] = await Promise.all(['/', '/metrics'].map((path) => request(gateway.adminUrl).get(path)))
    return (
      overview?.text.includes('not accepting alerts for') === true &&
      metrics?.text.includes('pawl_alert_target_up{target="url"} 0') === true
    )
  })
  status = 200
  expect(await pawl('alerts', 'test')).toBe('url        accepted: http_200')
  expect(exits()).toBe(0)
  expect(JSON.parse(await pawl('alerts', 'test', '--json'))).toEqual({
    targets: [{ target: 'url', ok: true, answer: 'http_200' }],
  })
})
