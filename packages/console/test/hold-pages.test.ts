import type { Browser, Page } from 'playwright-core'
import request from 'supertest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { act } from '../../../test/support/act.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { browserPath, findBarriers, findMisfits, listenToComplaints, startBrowser } from './browser.ts'
import { postForm } from './post-form.ts'

let gateway: LocalGateway
let handled: string[]

const handler = (name: string) =>
  defineHandler({
    name,
    on: ['prior_authorization.status_change'],
    handle: async ({ resource }) => void handled.push(`${name} ${resource.id}`),
  })

beforeEach(async () => {
  handled = []
  const handlers = [handler('chart'), handler('desk')]
  gateway = await startLocalGateway({ api: createScriptedApi().api, handlers, log: captureLog().log })
})
afterEach(() => gateway.destroy())

const send = (...ids: string[]) => Promise.all(ids.map((id) => deliver(gateway.url, envelope({ id }))))
const waiting = (count: number) =>
  until(`${count} wait`, async () => {
    const { length } = (await gateway.ledger.work({ errorCode: 'handler_paused' }, 50)).rows
    return length === count
  })
const count = (name: string) => handled.filter((each) => each.startsWith(name)).length

describe.skipIf(browserPath === undefined)('pausing in a browser', () => {
  let browser: Browser
  let page: Page
  let complaints: string[]
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 360, height: 740 } })
    complaints = listenToComplaints(page)
  })
  afterEach(async () => {
    await page.context().close()
    expect(complaints).toEqual([])
  })

  const pauseChart = async () => {
    await page.goto(`${gateway.adminUrl}/handlers`)
    await page.getByRole('link', { name: 'Pause handler chart' }).click()
    await page.getByLabel('Reason, shown on this page').fill('the chart moves')
    await page.getByRole('button', { name: 'Pause handler chart' }).click()
    await page.getByRole('heading', { name: 'Paused: handler chart' }).waitFor()
  }

  it('holds the work of one handler, says so on the overview, lets it through in steps, and then all of it', async () => {
    await pauseChart()
    await send('pa_req_1', 'pa_req_2', 'pa_req_3')
    await waiting(3)
    await until('the other ran', () => count('desk') === 3)
    expect(count('chart')).toBe(0)

    await page.goto(gateway.adminUrl)
    const verdict = page.getByRole('region', { name: 'Verdict' }).filter({ hasText: 'the chart moves' })
    await verdict.getByText('3 cases wait.').waitFor()
    await verdict.getByRole('button', { name: 'Resume all' }).waitFor()
    await page.goto(`${gateway.adminUrl}/handlers`)
    await page.getByRole('link', { name: 'resume handler chart' }).click()
    await page.getByText('Why: the chart moves').waitFor()
    await page
      .locator('div', { has: page.getByText('Waiting for it') })
      .last()
      .getByText('3')
      .waitFor()
    await page.getByLabel('Resources to release').fill('1')
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByText('1 resource released; others wait.').waitFor()
    await until('one went on', () => count('chart') === 1)
    expect(await gateway.ledger.holds()).toHaveLength(1)

    await page.getByRole('button', { name: 'Resume all' }).click()
    await page.getByText('Resumed handler chart: 2 resources now due.').waitFor()
    await page.getByRole('link', { name: 'Pause handler chart' }).waitFor()
    await until('all went on', () => count('chart') === 3)
    expect(await gateway.ledger.holds()).toEqual([])
  })

  it('is resumed from the verdict by one click, which says what came of it', async () => {
    await pauseChart()
    const ids = Array.from({ length: 12 }, (_, at) => `pa_req_${at}`)
    await send(...ids)
    await waiting(12)
    await page.goto(gateway.adminUrl)
    await page.getByRole('button', { name: 'Resume 10 first' }).click()
    await page.getByText('10 of 10 went well.').waitFor()
    expect(count('chart')).toBe(10)
    // What was tried is not offered again.
    expect(await page.getByRole('button', { name: 'Resume 10 first' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Resume all' }).click()
    await page.getByText('Resumed handler chart: 2 resources now due.').waitFor()
    await until('all went on', () => count('chart') === 12)
    await page.getByText('All is well.').waitFor()
    expect(await gateway.ledger.holds()).toEqual([])
  })

  it('cannot be paused without a reason', async () => {
    await page.goto(`${gateway.adminUrl}/handlers/hold?kind=system&name=ehr`)
    await page.getByRole('button', { name: 'Pause the chart (ehr)' }).click()
    expect(await page.evaluate('document.querySelector("#reason").validity.valueMissing')).toBe(true)
    expect(await gateway.ledger.holds()).toEqual([])
  })

  it('lets a page that is out of date change nothing', async () => {
    await page.goto(`${gateway.adminUrl}/handlers/hold?kind=handler&name=chart`)
    await gateway.ledger.hold({ kind: 'handler', name: 'chart' }, { ...act, reason: 'somebody was first' })
    await page.getByLabel('Reason, shown on this page').fill('the chart moves')
    await page.getByRole('button', { name: 'Pause handler chart' }).click()
    await page.getByText('handler chart is paused. Look at it again.').waitFor()
    expect(await gateway.ledger.holds()).toMatchObject([{ reason: 'somebody was first' }])

    await page.goto(`${gateway.adminUrl}/handlers/hold?kind=handler&name=chart`)
    await gateway.ledger.liftHold({ kind: 'handler', name: 'chart' }, act)
    await gateway.ledger.hold({ kind: 'handler', name: 'chart' }, { ...act, reason: 'another upgrade' })
    await page.getByRole('button', { name: 'Resume all' }).click()
    await page.getByText('Changed since the page loaded').waitFor()
    expect(await gateway.ledger.holds()).toMatchObject([{ reason: 'another upgrade' }])
    // The browser says of the answers that they were 409.
    expect(complaints.splice(0)).toHaveLength(2)
  })

  it('has no barrier that axe knows, and fits 360 pixels', async () => {
    await pauseChart()
    for (const address of [
      '/',
      '/handlers',
      '/handlers/hold?kind=handler&name=chart',
      '/handlers/hold?kind=handler&name=chart&through=5&more=yes',
      '/handlers/hold?kind=system&name=ehr',
      '/handlers/hold?kind=all',
    ]) {
      await page.goto(`${gateway.adminUrl}${address}`)
      expect({ address, barriers: await findBarriers(page) }).toEqual({ address, barriers: [] })
      expect({ address, misfits: await findMisfits(page) }).toEqual({ address, misfits: [] })
    }
  })
})

describe('the pages of what is paused', () => {
  /** Fields in the form of a page. */
  const fieldsOf = async (address: string) => {
    const { text } = await request(gateway.adminUrl).get(address).expect(200)
    const valueOf = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''
    return { token: valueOf('token'), stamp: valueOf('stamp'), kind: valueOf('kind'), name: valueOf('name') }
  }
  const post = (address: string, fields: object) => postForm(gateway.adminUrl, address, fields)

  it('write into the audit trail who paused, why, and who resumed', async () => {
    const address = '/handlers/hold?kind=system&name=ehr'
    await post('/handlers/pause', { ...(await fieldsOf(address)), reason: 'the EHR is upgraded' }).expect(303)
    await post('/handlers/resume', { ...(await fieldsOf(address)), do: 'all' }).expect(303)
    const actor = { name: 'maria@ops-1', via: 'admin' }
    expect((await gateway.ledger.readAudit({}, 10)).slice(-2)).toMatchObject([
      { actor, action: 'work.pause', reason: 'the EHR is upgraded', details: { paused: 'system', system: 'ehr' } },
      { actor, action: 'work.resume', details: { paused: 'system', system: 'ehr' } },
    ])
  })

  it('pause and resume all work, as a start with --hold leaves it', async () => {
    await gateway.ledger.hold({ kind: 'all', name: '' }, { ...act, reason: 'pawl was started with --hold' })
    await until('paused', async () =>
      (await (await fetch(`${gateway.adminUrl}/metrics`)).text()).includes('pawl_paused{'),
    )
    await send('pa_req_1', 'pa_req_2')
    const address = '/handlers/hold?kind=all'
    const { headers } = await post('/handlers/resume', { ...(await fieldsOf(address)), do: 'some', limit: 1 })
    expect(headers.location).toBe('/handlers/hold?kind=all&through=1&more=yes')
    await until('one went on', () => count('chart') === 1)
    const resumed = await post('/handlers/resume', { ...(await fieldsOf(address)), do: 'all' }).expect(303)
    const page = await request(gateway.adminUrl).get(String(resumed.headers.location)).expect(200)
    expect(page.text).toContain('Resumed all work: its work goes on.')
    await until('all went on', () => count('chart') === 2)
  })

  it('confirm no name but those that pawl knows', async () => {
    const { text } = await request(gateway.adminUrl).get('/handlers?kind=system&name=made-up&resumed=3').expect(200)
    expect(text).not.toContain('made-up')
  })

  it('refuse a form of another page, one without a reason, and what there is not', async () => {
    const fields = await fieldsOf('/handlers/hold?kind=handler&name=chart')
    await post('/handlers/pause', { ...fields, reason: 'the chart moves', token: 'guessed' }).expect(403)
    await post('/handlers/pause', { ...fields, reason: ' x ' }).expect(400)
    await post('/handlers/pause', { ...fields, name: 'desk', reason: 'the desk moves' }).expect(409)
    await post('/handlers/resume', { ...fields, do: 'some', limit: '0' }).expect(400)
    for (const query of ['kind=handler&name=nobody', 'kind=anything&name=chart', ''])
      await request(gateway.adminUrl).get(`/handlers/hold?${query}`).expect(404)
    expect(await gateway.ledger.holds()).toEqual([])
  })
})
