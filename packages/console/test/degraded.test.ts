import request from 'supertest'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Sqlite } from '../../base/src/sqlite.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { act } from '../../../test/support/act.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { startLocalGateway, type LocalGateway, type TestParts } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'

let gateway: LocalGateway
const start = async (env: Record<string, string>, parts: TestParts = {}) => {
  gateway = await startLocalGateway(
    { api: createScriptedApi().api, handlers: [], log: captureLog().log, ...parts },
    env,
  )
}
const ready = async () => (await request(gateway.adminUrl).get('/readyz')) as { status: number; body: Ready }
interface Ready {
  status: string
  degraded: string[]
}

beforeEach(() => start({ QUEUE_URL: 'redis://127.0.0.1:9', ALERT_INTERVAL_MS: '50', ALERT_AWAY_MINUTES: '1' }))
afterEach(() => gateway.destroy())

it('a queue that does not answer shows at /readyz and in the status, and leaves the process ready', async () => {
  expect((await deliver(gateway.url, envelope({ id: 'pa_req_1' }))).status).toBe(202)
  await until('it is noticed', async () => (await ready()).body.degraded.length > 0)
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', degraded: ['queue'] } })
  expect(await runCommand(gateway.adminUrl, 'status')).toMatch(
    /^The queue's server has not answered since .* nothing lost\.$/m,
  )
})

it('an audit trail that was altered shows at /readyz, in the status and as an alert, until a person acknowledges it', async () => {
  const alter = async () => {
    const database = new Sqlite(gateway.databasePath)
    database.exec("update audit_head set hash = 'another'")
    database.close()
    await gateway.ledger.audit({ actor: act.actor, action: 'process.start' })
  }
  await alter()
  expect((await ready()).body.degraded).toContain('audit')
  const status = () => runCommand(gateway.adminUrl, 'status')
  expect(await status()).toMatch(/^The audit trail has been broken/m)
  const alerts = () => runCommand(gateway.adminUrl, 'alerts')
  await until('the alert is open', async () => (await alerts()).includes('audit trail'))
  const row = (await gateway.ledger.auditState()).lastBreak?.id ?? NaN
  const acknowledge = (seen: number) =>
    runCommand(gateway.adminUrl, 'audit', 'acknowledge', '--row', String(seen), '--reason', 'a restore by olga')
  await expect(acknowledge(row + 1)).rejects.toThrow(`Row ${row} records the last break: look at it first.`)
  expect(await acknowledge(row)).toBe(`Acknowledged: the break of row ${row}.`)
  expect((await ready()).body.degraded).not.toContain('audit')
  await until('the alert is over', async () => !(await alerts()).includes('audit trail'))
  expect(await status()).not.toContain('audit trail')
  expect(await gateway.ledger.listAudit({ action: 'audit.acknowledge' }, 5)).toMatchObject([
    { reason: 'a restore by olga', details: { row } },
  ])
  await expect(acknowledge(row)).rejects.toThrow('The trail has no open break')
  await alter()
  expect((await ready()).body.degraded).toContain('audit')
})

it('a start that paused all work is told until the service was asked, and START_PAUSED until it is gone', async () => {
  await gateway.destroy()
  await start({ START_PAUSED: 'true' })
  await runCommand(gateway.adminUrl, 'resume', '--all')
  expect(await runCommand(gateway.adminUrl, 'status')).toMatch(/^Deliveries may be missing \(restored backup\?\)\.$/m)
  await runCommand(gateway.adminUrl, 'reconcile', '--since', '24h')
  expect(await runCommand(gateway.adminUrl, 'status')).toMatch(/^START_PAUSED is still in the settings\./m)
})
