import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../src/index.ts'
import { Sqlite } from '../../base/src/sqlite.ts'
import { hashPassword } from '../../base/src/password-hash.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { createScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { browserPath, findBarriers, findMisfits, goOn, listenToComplaints, startBrowser } from './browser.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

const own = 'a-password-of-their-own'
const password = await hashPassword(own)
const users = JSON.stringify([
  { name: 'vera', roles: ['viewer'], password },
  { name: 'olga', roles: ['operator'], password },
  { name: 'petra', roles: ['privacy_officer'], password },
  { name: 'rita', roles: ['reveal'], password },
])
const id = 'pa_req_1'

let gateway: LocalGateway
let browser: Browser
let context: BrowserContext
let page: Page
let complaints: string[]

describe.skipIf(browserPath === undefined)('the console for people with roles, in a browser', () => {
  beforeAll(async () => {
    browser = await startBrowser()
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    const chart = defineHandler({
      name: 'chart',
      on: ['prior_authorization.status_change'],
      async handle() {
        throw new ChartLocked('The chart is open elsewhere.')
      },
    })
    const { api } = createScriptedApi({ patient: { last_name: 'Sample', addresses: [{ city: 'Testville' }, null] } })
    gateway = await startLocalGateway({ api, handlers: [chart], log: captureLog().log }, { ADMIN_USERS: users })
    await deliver(gateway.url, envelope({ id }))
    await until('it is parked', async () => (await gateway.ledger.counts()).parked === 1)
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
    page = await context.newPage()
    complaints = listenToComplaints(page)
  })
  afterEach(async () => {
    await context.close()
    await gateway.destroy()
    expect(complaints).toEqual([])
  })

  async function logIn(name: string, address = '/') {
    await page.goto(`${gateway.adminUrl}${address}`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Password').fill(own)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    // The counted elements come below it.
    await page.waitForLoadState()
  }
  async function countPauses(address: string): Promise<number> {
    await page.goto(`${gateway.adminUrl}${address}`)
    await page.getByRole('button', { name: 'Log out' }).waitFor()
    await page.waitForLoadState()
    return page.getByRole('link', { name: /^Pause/ }).count()
  }
  const fits = async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    expect({ at: page.url(), misfits: await findMisfits(page) }).toEqual({ at: page.url(), misfits: [] })
    expect({ at: page.url(), barriers: await findBarriers(page) }).toEqual({ at: page.url(), barriers: [] })
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  it('leads from a permalink to the login, back to it, and out again', async () => {
    await logIn('vera', '/parked?error=chart_locked')
    expect(page.url()).toBe(`${gateway.adminUrl}/parked?error=chart_locked`)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ name: '__Host-pawl', httpOnly: true, secure: true, sameSite: 'Strict' })
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await context.cookies()).toEqual([])
    await page.goto(`${gateway.adminUrl}/events`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    await fits()
  })

  it('says that a password is wrong, and who it was is not lost', async () => {
    await page.goto(gateway.adminUrl)
    await page.getByLabel('Name').fill('vera')
    await page.getByLabel('Password').fill('another-password')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByText('The name or the password is wrong.').waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('401')])
  })

  it('keeps the session of a person who follows a link from elsewhere', async () => {
    await logIn('vera')
    const elsewhere = await context.newPage()
    await elsewhere.goto(`data:text/html,<a href="${gateway.adminUrl}/events">the events</a>`)
    await elsewhere.getByRole('link').click()
    await elsewhere.getByRole('heading', { name: 'Events' }).waitFor()
  })

  it('offers each only what they may do', async () => {
    const offers = {
      vera: { retry: 0, reveal: 0, trail: 0, pause: [0, 0] },
      // The handler; each handler and system, and all work.
      olga: { retry: 1, reveal: 0, trail: 0, pause: [1, 5] },
      petra: { retry: 0, reveal: 0, trail: 1, pause: [0, 0] },
      rita: { retry: 0, reveal: 1, trail: 0, pause: [0, 0] },
    }
    for (const [name, expected] of Object.entries(offers)) {
      await context.clearCookies()
      await logIn(name, `/resources/${id}`)
      const found = {
        retry: await page.getByRole('button', { name: 'Retry chart' }).count(),
        reveal: await page.getByText('What it says of the patient').count(),
        trail: await page.getByRole('link', { name: 'Audit trail' }).count(),
        pause: [await countPauses('/parked'), await countPauses('/handlers')],
      }
      expect({ name, ...found }).toEqual({ name, ...expected })
    }
    await page.goto(`${gateway.adminUrl}/audit`)
    await page.getByText('rita may not read the audit trail or erase patients').waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('403')])
  })

  it('shows stored patient data to a person who gives a reason, and from then on who saw it', async () => {
    await logIn('rita', `/resources/${id}`)
    expect(await page.content()).not.toContain('Sample')
    await page.getByText('What it says of the patient').click()
    await page.getByRole('button', { name: 'Show the content' }).click()
    expect(page.url()).not.toContain('reveal')
    await page.getByLabel('Why it must be seen').fill('The clinic asks')
    await page.getByRole('button', { name: 'Show the content' }).click()
    await page.getByRole('heading', { name: `Content of ${id}` }).waitFor()
    await page.getByText('Sample').waitFor()
    await page.getByText('Testville').waitFor()
    await fits()
    await page.getByRole('link', { name: 'Back to the resource' }).click()
    await page.getByText('Shown to rita').waitFor()
    expect(await page.content()).not.toMatch(/Sample|The clinic asks/)
    await fits()
  })

  it('tells a privacy officer who did what: by filters, page by page, whole and verified, and lets one acknowledge a break', async () => {
    const actor = { name: 'olga', via: 'admin', auth: 'password' } as const
    for (let times = 0; times < 60; times += 1)
      await gateway.ledger.audit({ actor, action: 'resource.view', resourceId: id })
    await logIn('petra', '/audit?actor=olga')
    const rows = page.getByRole('row', { name: /resource\.view/ })
    expect(await rows.count()).toBe(50)
    await page.getByRole('link', { name: 'Older' }).click()
    await expect.poll(() => rows.count()).toBe(10)
    expect(new URL(page.url()).searchParams.get('actor')).toBe('olga')
    await goOn(page, () => page.getByRole('link', { name: 'All', exact: true }).click())
    await page.getByLabel('What').selectOption('person.login')
    await goOn(page, () => page.getByRole('button', { name: 'Filter' }).click())
    await page.getByRole('row', { name: /petra.*own password.*person\.login/ }).waitFor()
    await page.getByLabel('From this day').fill('2001-01-01')
    await page.getByLabel('To this day').fill('2001-01-02')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('No entry matches.').waitFor()
    await page.goto(`${gateway.adminUrl}/audit`)
    await fits()
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'FHIR AuditEvent' }).click()
    expect((await download).suggestedFilename()).toBe('audit-fhir.ndjson')
    await page.getByRole('button', { name: 'Verify the trail' }).click()
    await page.getByText('entries, unbroken').waitFor()
    await fits()
    const database = new Sqlite(gateway.databasePath)
    database.exec("update audit_head set hash = 'another'")
    database.close()
    await page.goto(`${gateway.adminUrl}/audit`)
    await fits()
    await page.getByLabel('Why acknowledge').fill('Olga restored it')
    await goOn(page, () => page.getByRole('button', { name: 'Acknowledge' }).click())
    await page.getByRole('row', { name: /petra.*audit\.acknowledge.*Olga restored it/ }).waitFor()
    expect(await page.getByText('The trail was altered').count()).toBe(0)
  })
})
