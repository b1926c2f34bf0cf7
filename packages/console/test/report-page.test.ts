import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { execute } from '../../ledger/test/filled-ledger.ts'
import { approved, denied, of } from './report/journeys.ts'
import { browserPath, findBarriers, findMisfits, listenToComplaints, startBrowser } from './browser.ts'

let gateway: LocalGateway
const pawl = (...args: string[]) => runCommand(gateway.adminUrl, ...args)
const readJson = async (path: string): Promise<unknown> => (await fetch(new URL(path, gateway.adminUrl))).json()

/** Twelve approvals of one payer, and two denials of another. */
beforeAll(async () => {
  const service = createScriptedApi()
  const handler = defineHandler({ name: 'h', on: ['prior_authorization.status_change'], handle: async () => {} })
  const parts = { api: service.api, handlers: [handler], log: captureLog().log }
  // Figures that take long must not keep the pages waiting.
  gateway = await startLocalGateway({ ...parts, isThreaded: true })
  const ids = Array.from({ length: 14 }, (_, n) => `pa_req_${n}`)
  const more = (n: number) =>
    n < 12
      ? of('000001', '00000000011', '1234567893')
      : { ...of('000002', '', '1987654320'), prescription: { drug_name: '=1+1' } }
  const end = (n: number) => (n < 12 ? approved : denied('plan_exclusion'))
  for (const looks of [() => ({ status: 'created' }), () => ({ status: 'awaiting_outcome' }), end]) {
    for (const [n, id] of ids.entries()) {
      const data = { id, ...more(n), ...looks(n) }
      service.set(data)
      await deliver(gateway.url, envelope(data))
    }
    await until('nothing is due', async () => (await gateway.ledger.counts()).due === 0)
  }
  await gateway.ledger.catchUp()
})
afterAll(() => gateway.destroy())

describe('pawl report', () => {
  it('prints the figures, and with --by those of each group', async () => {
    const printed = await pawl('report', '--by', 'payer')
    expect(printed).toMatch(/^submitted +14$/m)
    expect(printed).toMatch(/^approved share +85\.7 %$/m)
    expect(printed).toMatch(/^denied by reason: plan_exclusion +2$/m)
    expect(printed).toMatch(/^others +14 +14 +12 +2 /m)
    expect(printed).not.toContain('000002')
    const small = await pawl('report', '--by', 'payer', '--small')
    expect(small).toMatch(/^000001\/PCN1 +12 +12 +12 +0 +100 %/m)
    expect(small).toMatch(/^000002\/PCN1 +2 +2 +0 +2 +0 %/m)
  })

  it('prints one JSON object, or CSV with one figure a row, in which nothing is a formula', async () => {
    expect(JSON.parse(await pawl('report', '--json'))).toMatchObject({ figures: { resources: 14, submitted: 14 } })
    const lines = (await pawl('report', '--csv', '--by', 'drug', '--small')).split('\r\n')
    expect(lines[0]).toBe('from,to,by,group,figure,reason,value,unit')
    expect(lines.filter((line) => line.includes(',approved,')).map((line) => line.split(',').slice(2))).toEqual([
      ['', 'all', 'approved', '', '12', 'resources'],
      ['drug', '00000000011', 'approved', '', '12', 'resources'],
      ['drug', "'=1+1", 'approved', '', '0', 'resources'],
    ])
  })

  it('prints what took seconds in seconds, and minutes in minutes', async () => {
    const took = (ms: number) =>
      execute(`file:${gateway.databasePath}`, `update outcomes set submitted_at = ended_at - ${ms}`)
    await took(5_400)
    expect(await pawl('report')).toMatch(/^turnaround from submission median +5\.4 s$/m)
    await took(324_000)
    expect(await pawl('report')).toMatch(/^turnaround from submission median +5\.4 min$/m)
  })

  it('is written into the audit trail with its period and grouping', async () => {
    await pawl('report', '--from', '2026-01-31T00:00:00Z', '--to', '2026-02-01T00:00:00Z', '--by', 'provider')
    const trail = await gateway.ledger.readAudit({ action: 'report.export' }, 100)
    expect(trail.at(-1)).toMatchObject({
      action: 'report.export',
      details: {
        from: '2026-01-31T00:00:00.000Z',
        to: '2026-02-01T00:00:00.000Z',
        by: 'provider',
        small: false,
        format: 'json',
      },
    })
    await pawl('report', '--csv')
    const [last] = (await gateway.ledger.readAudit({ action: 'report.export' }, 100)).slice(-1)
    expect(last?.details).toMatchObject({ format: 'csv' })
  })
})

it('names its figures on the page in words, and counts all resources apart from prior authorizations', async () => {
  const read = async () => (await fetch(new URL('/report', gateway.adminUrl))).text()
  await until('it is prepared', async () => (await read()).includes('Turnaround'))
  const page = await read()
  expect(page).toContain('Turnaround from submission: half took no longer than')
  expect(page).not.toMatch(/ p90<| median<|submission measured</)
  const [above = '', below = ''] = page.split('<caption>Prior authorizations<')
  expect(above).toContain('Prior authorizations and benefit verifications')
  expect(below).not.toContain('esources<')
})

it('answers the API with a report, and with 400 what it does not know', async () => {
  expect(await readJson('/api/report?by=drug')).toMatchObject({
    by: 'drug',
    groups: [{ kind: 'others', figures: { resources: 14 } }],
  })
  expect(await readJson('/api/report?by=patient')).toMatchObject({ error: { code: 'bad_request' } })
  const csv = await fetch(new URL('/api/report?format=csv', gateway.adminUrl))
  expect(csv.headers.get('content-type')).toContain('text/csv')
  expect(csv.headers.get('content-disposition')).toMatch(/^attachment; filename=report-.*\.csv$/)
  vi.stubEnv('TZ', 'Asia/Tokyo')
  const january = await fetch(
    new URL('/api/report?from=2026-01-01&to=2026-02-01&format=csv', gateway.adminUrl),
  ).finally(() => vi.unstubAllEnvs())
  expect(january.headers.get('content-disposition')).toContain('report-2026-01-01-2026-02-01.csv')
})

describe.skipIf(browserPath === undefined)('the page of the report in a browser', () => {
  let browser: Browser
  let page: Page
  beforeAll(async () => {
    browser = await startBrowser()
    page = await browser.newPage({ viewport: { width: 360, height: 780 } })
  })
  afterAll(() => browser.close())
  let complaints: string[]
  afterEach(() => expect(complaints).toEqual([]))

  it('shows the figures of a period in tables, without barriers, also on a narrow screen', async () => {
    complaints = listenToComplaints(page)
    const hour = Math.floor(Date.now() / 3_600_000 - 10) * 3_600_000
    await execute(
      `file:${gateway.databasePath}`,
      `insert into tallies (span, at, name, value) values ('hour', ${hour}, 'waiting', 40), ('hour', ${hour}, 'parked', 30)`,
    )
    await page.goto(gateway.adminUrl)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Report' }).click()
    await page.getByLabel('Grouped by').selectOption('payer')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByRole('img', { name: 'How prior authorizations ended: approved 12, denied 2.' }).waitFor()
    await page.getByRole('img', { name: /^Half took no longer than: from request to decision / }).waitFor()
    await page.getByRole('img', { name: /^Backlog of the last 7 days: at most 70 in two hours/ }).waitFor()
    await page.getByText('As a table').click()
    await page.getByRole('region', { name: 'Backlog by two hours' }).waitFor()
    const ends = page.getByRole('region', { name: 'Prior authorizations' })
    expect(await ends.getByRole('row', { name: 'denied 2' }).textContent()).toBe('Denied2')
    await page
      .getByRole('region', { name: 'Figures by payer' })
      .getByRole('row', { name: /others Resources 14/ })
      .waitFor()
    expect(await page.content()).not.toContain('000002')
    expect(await findBarriers(page)).toEqual([])
    expect(await findMisfits(page)).toEqual([])
    const waiting = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download as CSV' }).click()
    expect((await waiting).suggestedFilename()).toMatch(/^report-.*-payer\.csv$/)
  })

  it('is there before figures that take longer, and says so, until they come by themselves', async () => {
    complaints = listenToComplaints(page)
    // Another six thousand for each of the fourteen: more than is counted within the time of a page.
    await execute(
      `file:${gateway.databasePath}`,
      `insert into outcomes select 1000 + resource * 10000 + n, kind, heard_at, from_start, status, status_at, submitted_at, ended_at, result, reason, is_appeal, is_urgent,
        transfer_status, transfer_started_at, transfer_ended_at, practice_ms, provider_ms, groups
        from outcomes, (with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 6000) select n from numbers) as numbers`,
    )
    let see = () => {}
    const isSeen = new Promise<void>((resolve) => (see = resolve))
    // However slow the browser is, the page does not ask again before it was looked at.
    await page.route('**/report?by=provider', async (route) => {
      if (route.request().headers()['hx-request'] !== undefined) await isSeen
      await route.continue()
    })
    // A report not requested before: figures that took a slow machine long are kept for a minute.
    await page.goto(new URL('/report?by=provider', gateway.adminUrl).href)
    await page.getByRole('status').getByText('The figures are being computed').waitFor()
    expect(await findBarriers(page)).toEqual([])
    see()
    await page
      .getByRole('region', { name: 'Prior authorizations' })
      .getByRole('row', { name: 'approved 72,012' })
      .waitFor({ timeout: 240_000 })
    expect(await page.getByRole('status').count()).toBe(0)
  })
})
