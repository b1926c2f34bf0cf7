import type { Browser, Page } from 'playwright-core'
import request from 'supertest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler } from '../../../src/index.ts'
import { listen, type Listener } from '../../sandbox/src/listen.ts'
import type { Sandbox } from '../../sandbox/src/sandbox.ts'
import type { SendingChaos } from '../../sandbox/src/platform/chaos-settings.ts'
import { startSandbox } from '../../sandbox/test/play.ts'
import { benefitVerification, priorAuthorization } from '../../sandbox/test/requests.ts'
import { captureLog, type LogCapture } from '../../../test/support/log-capture.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { createScriptedApi, type ScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope, signToken, webhookSecret } from '../../../test/support/webhook.ts'
import { browserPath, findBarriers, findMisfits, listenToComplaints, startBrowser } from './browser.ts'

const chart = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change', 'benefit_verification.status_change'],
  async handle() {},
})

let gateway: LocalGateway
let log: LogCapture
let browser: Browser
let page: Page
let complaints: string[]

beforeEach(() => {
  log = captureLog()
})
afterEach(() => gateway.destroy())
beforeAll(async () => {
  if (browserPath !== undefined) browser = await startBrowser()
})
afterAll(() => browser?.close())

async function openPage(): Promise<void> {
  page = await browser.newPage({ viewport: { width: 360, height: 740 } })
  complaints = listenToComplaints(page)
}
async function closePage(): Promise<void> {
  await page.context().close()
  expect(complaints).toEqual([])
}
/** No barrier, and nothing that a phone cuts. */
async function expectFit(address: string): Promise<void> {
  await page.goto(`${gateway.adminUrl}${address}`)
  expect({ address, barriers: await findBarriers(page) }).toEqual({ address, barriers: [] })
  expect({ address, misfits: await findMisfits(page) }).toEqual({ address, misfits: [] })
}

const newNames = () => log.lines().filter(({ msg }) => String(msg).startsWith('the service sent a name or code'))
const driftPage = async () => (await request(gateway.adminUrl).get('/settings').expect(200)).text

const settled = (events: number) =>
  until('all is handled', async () => {
    const counts = await gateway.ledger.counts()
    return counts.events >= events && counts.due === 0
  })

describe('with the sandbox as the service', () => {
  let service: Awaited<ReturnType<typeof startSandbox>>
  let listener: Listener

  async function start(sending: Partial<SendingChaos> = {}): Promise<void> {
    service = await startSandbox({ chaos: { sending } })
    listener = await listen(service.sandbox.app, { port: 0, host: '127.0.0.1' })
    const env = { API_BASE_URL: listener.url, API_TOKEN: await service.sandbox.issueToken() }
    gateway = await startLocalGateway({ handlers: [chart], log: log.log }, env)
    service.sandbox.controls.putWebhook({ name: 'pawl', url: `${gateway.url}/webhooks`, secret: webhookSecret })
  }
  afterEach(() => listener.close())

  const push: Sandbox['controls']['push'] = (...change) => service.sandbox.controls.push(...change)
  const reasonsOf = async () => (await gateway.ledger.waitingForPeople(50)).rows.map(({ reason }) => reason)

  it('finds no drift in documented content, and tells the rest of the API budget', async () => {
    await start()
    const id = await service.create('/prior-authorization', priorAuthorization())
    const verified = await service.create('/benefit-verification', benefitVerification())
    while (service.sandbox.controls.step() !== undefined);
    await until('both are terminal', async () => {
      const resources = await Promise.all([id, verified].map((each) => gateway.ledger.resource(each)))
      return resources.every((each) => each?.terminal)
    })
    await settled(3)
    expect(await driftPage()).toContain('No drift: pawl knows every name and code that it received since its start.')
    expect(await runCommand(gateway.adminUrl, 'status')).toMatch(
      /^api budget read-endpoint-minute: \d+ of \d+ left for GET \/\S+, reported \d+ s ago$/m,
    )
  })

  it('tells of an undocumented type, status and fields once: in the log, as a metric and on the page of settings', async () => {
    await start({ unknown_status: 1, unknown_event_type: 1, extra_fields: 1 })
    for (let n = 0; n < 2; n += 1) await service.create('/prior-authorization', priorAuthorization())
    await settled(2)
    await until('all of it is met', () => newNames().length >= 4)
    const page = await driftPage()
    for (const name of ['prior_authorization.sandbox_unheard_of', 'sandbox_extra', 'prior_authorization.sandbox_extra'])
      expect(page).toContain(name)
    expect(
      newNames()
        .map(({ reason, code }) => `${String(reason)} ${String(code)}`)
        .toSorted(),
    ).toEqual([
      'envelope_field envelope_field',
      'event_type event_type',
      'field prior_authorization',
      'status prior_authorization.status',
    ])
    expect((await request(gateway.adminUrl).get('/metrics').expect(200)).text).toMatch(
      /^pawl_drift_total\{kind="status"\} [1-9]/m,
    )
    if (browserPath === undefined) return
    await openPage()
    await expectFit('/settings')
    await closePage()
  })

  it('queues what waits for people, the longest waiting first, until it goes on or is sent anew', async () => {
    await start()
    const [first, second] = [
      await service.create('/prior-authorization', priorAuthorization()),
      await service.create('/prior-authorization', priorAuthorization()),
    ]
    for (const status of ['processing', 'awaiting_outcome']) for (const id of [first, second]) push(id, status)
    push(first, 'awaiting_provider_response')
    await until('one waits', async () => (await reasonsOf()).length === 1)
    push(second, 'completed', { outcome: { result: 'Denied', detail_code: 'unknown' } })
    await until('both wait', async () => (await reasonsOf()).length === 2)
    expect(await reasonsOf()).toEqual(['awaiting_provider_response', 'denied'])

    if (browserPath !== undefined) {
      await openPage()
      await page.goto(gateway.adminUrl)
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByRole('link', { name: 'For people', exact: true }).click()
      const rows = page.getByRole('row')
      await rows.nth(1).getByRole('link', { name: first }).first().waitFor()
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
      await rows.nth(1).getByText('the prescriber supplies the information requested').last().waitFor()
      await rows.nth(1).getByText(`POST /prior-authorization/{id}/cancel`).last().waitFor()
      await rows.nth(2).getByRole('link', { name: second }).first().waitFor()
      await rows.nth(2).getByText('appeal_details with the letter').last().waitFor()
      await expectFit('/work-queue')
      await page.getByRole('link', { name: second }).first().click()
      await page.getByRole('heading', { name: second }).waitFor()
      await closePage()
    }

    const info = { previous_prior_auth_request_id: second, note: 'with the letter' }
    await service.create('/prior-authorization', priorAuthorization({ resubmission_info: info }))
    await until('the one sent anew is gone', async () => (await reasonsOf()).length === 1)
    push(first, 'awaiting_outcome')
    await until('no PA waits', async () => (await reasonsOf()).length === 0)
    expect((await request(gateway.adminUrl).get('/work-queue').expect(200)).text).toContain('Nothing waits for people.')
  })
})

describe('the pages and the API', () => {
  let service: ScriptedApi
  beforeEach(async () => {
    service = createScriptedApi()
    gateway = await startLocalGateway({ api: service.api, handlers: [chart], log: log.log })
  })

  it('tell of what a GET answers and of claims, and show no content', async () => {
    service.set({
      id: 'pa_req_1',
      status: 'with the committee',
      outcome: { result: 'Pending', detail_code: 'committee_review' },
      patient: { first_name: 'Testa', preferred_name: 'Testa Sample', gender: 'Testa' },
    })
    const token = await signToken({ organization: 'org_of_testa', 'names/Testa': true })
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }), { token })
    await settled(1)
    await until('it is met', () => newNames().length === 6)
    const page = await driftPage()
    for (const name of ['organization', 'committee_review', 'prior_authorization.patient.preferred_name'])
      expect(page).toContain(name)
    for (const each of [page, log.text()]) expect(each).not.toMatch(/Testa|Sample|org_of|names\/|committee"/)
    expect(log.text()).not.toMatch(/organization|committee_review|preferred_name/)
  })

  it('list the newest of much drift, and tell of no more than a thousand names', async () => {
    const unheardOf = (from: number) =>
      Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`unheard_of_${from + n}`, true]))
    for (const from of [0, 600]) await deliver(gateway.url, { ...envelope({ id: 'pa_req_1' }), ...unheardOf(from) })
    const met = async () => (await request(gateway.adminUrl).get('/metrics')).text
    await until('all of it is met', async () => (await met()).includes('pawl_drift_total{kind="envelope_field"} 1200'))
    expect(newNames()).toHaveLength(1_000)
    const shown = new Set((await driftPage()).match(/unheard_of_\d+/g))
    expect(shown).toEqual(new Set(Array.from({ length: 100 }, (_, n) => `unheard_of_${900 + n}`)))
  })

  it('go on in the queue by cursor, of one kind where asked, and refuse what cannot be read', async () => {
    for (let n = 1; n <= 3; n += 1) {
      service.set({ id: `pa_req_${n}`, status: 'awaiting_review' })
      await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))
      await until(`${n} wait`, async () => (await gateway.ledger.waitingForPeople(9)).rows.length === n)
    }
    service.set({ id: 'bv_1', status: 'failed', error: { detail_code: 'incorrect_dob' } })
    await deliver(gateway.url, envelope({ id: 'bv_1' }, 'benefit_verification.status_change'))
    await until('the verification waits', async () => (await gateway.ledger.waitingForPeople(9)).rows.length === 4)
    const ask = (query: string) => request(gateway.adminUrl).get(`/api/work-queue?${query}`)
    const first = (await ask('limit=2').expect(200)).body
    expect(first.waiting).toMatchObject([
      { id: 'pa_req_1', reason: 'awaiting_review', actions: [{ name: 'review' }, { name: 'cancel' }] },
      { id: 'pa_req_2' },
    ])
    const rest = (await ask(`after=${first.cursor}`).expect(200)).body
    expect(rest).toMatchObject({ waiting: [{ id: 'pa_req_3' }, { id: 'bv_1', actions: [{ name: 'verify_again' }] }] })
    expect(rest.cursor).toBeUndefined()
    expect((await ask('kind=benefit_verification').expect(200)).body.waiting).toHaveLength(1)
    for (const query of ['after=nonsense', 'limit=0', 'kind=provider_outreach']) await ask(query).expect(400)
    const { text } = await request(gateway.adminUrl).get('/work-queue?kind=benefit_verification').expect(200)
    expect(text).toContain('bv_1')
    expect(text).not.toContain('pa_req_1')
  })
})
