import type { Page } from 'playwright-core'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '#pawl'
import { captureLog } from '../support/log-capture.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { openPages } from '../support/open-pages.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { browserPath, findBarriers, goOn } from './browser.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}
class PatientUnknown extends PawlError {
  readonly code = 'patient_unknown'
}

let gateway: TestGateway
let page: Page
let complaints: string[]
let isMended: boolean

const chart = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  async handle({ resource }) {
    if (isMended) return
    throw resource.id.startsWith('pa_locked')
      ? new ChartLocked('The chart is open elsewhere.')
      : new PatientUnknown('The chart has no such patient.')
  },
})

beforeEach(async () => {
  isMended = false
  gateway = await startTestGateway({ api: createScriptedApi().api, handlers: [chart], log: captureLog().log })
})
afterEach(() => gateway.destroy())

/** Leaves the work on these resources parked. */
async function park(...ids: string[]): Promise<void> {
  const before = (await gateway.ledger.counts()).parked
  for (const id of ids) await deliver(gateway.url, envelope({ id }))
  await until('all is parked and given back', async () => {
    const { parked, due } = await gateway.ledger.counts()
    return parked === before + ids.length && due === 0
  })
}

const addresses = [
  '/',
  '/alerts',
  '/parked',
  '/work-queue',
  '/resources',
  '/resources/pa_locked_1',
  '/events',
  '/rejections',
  '/drift',
  '/handlers',
  '/settings',
  '/history',
  '/ask',
  '/runbook',
  '/help',
]

describe.skipIf(browserPath === undefined)('the console in a browser', () => {
  openPages((opened) => void ({ page, complaints } = opened))

  it('retries all that failed with one error code, and leaves the rest parked', async () => {
    await park('pa_locked_1', 'pa_locked_2', 'pa_other_1')
    await page.goto(gateway.adminUrl)
    await page.getByRole('link', { name: 'Failing and parked' }).click()
    await page.getByLabel('Error code').selectOption('chart_locked')
    await goOn(page, () => page.getByRole('button', { name: 'Filter' }).click())
    expect(new URL(page.url()).searchParams.get('error')).toBe('chart_locked')
    isMended = true
    await page.getByRole('button', { name: 'Retry all 2 that match' }).click()
    await page.getByText('All of it was made due.').waitFor()
    await page.getByText('2 of 2 made due').waitFor()
    await until('both are handled', async () => (await gateway.ledger.counts()).parked === 1)
    await page.getByRole('link', { name: 'Failing and parked' }).first().click()
    await page.getByRole('link', { name: 'patient_unknown' }).waitFor()
    expect(await page.getByRole('link', { name: 'chart_locked' }).count()).toBe(0)
  })

  it('shows while a group is retried what of it fails again', async () => {
    await park('pa_locked_1', 'pa_locked_2')
    await page.goto(`${gateway.adminUrl}/parked`)
    await page.getByRole('button', { name: 'Retry all 2 that match' }).click()
    const row = page.getByRole('row', { name: /chart_locked/ })
    const cells = () => row.getByRole('cell').allTextContents()
    await expect.poll(cells).toEqual(['chart', '–', 'chart_locked', '0', '2'])
    await page.getByText('2 failed since: the cause is not fixed yet.').waitFor()
  })

  it('shows failures by cause, and discards those of one cause for a reason', async () => {
    await park('pa_locked_1', 'pa_locked_2', 'pa_other_1')
    await page.goto(`${gateway.adminUrl}/parked`)
    await page.getByRole('region', { name: 'chart: chart_locked' }).getByRole('button', { name: 'Retry 2' }).waitFor()
    const unknown = page.getByRole('region', { name: 'chart: patient_unknown' })
    await unknown.getByText('Discard 1').click()
    await unknown.getByLabel('Why discard').fill('The patient left the clinic')
    await unknown.getByRole('button', { name: 'Discard' }).click()
    await page.getByText('1 of 1 discarded').waitFor()
    expect((await gateway.ledger.counts()).parked).toBe(2)
    const [entry] = await gateway.ledger.listAudit({ action: 'work.discard' }, 1)
    expect(entry?.reason).toBe('The patient left the clinic')
  })

  it('has the button of one cause above the fold of a phone, and the filter a touch away', async () => {
    await park('pa_locked_1', 'pa_other_1')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(`${gateway.adminUrl}/parked?state=parked&error=chart_locked`)
    const button = await page.getByRole('button', { name: 'Retry 1' }).boundingBox()
    expect((button?.y ?? Infinity) + (button?.height ?? 0)).toBeLessThan(600)
    expect(await page.getByLabel('Error code').isVisible()).toBe(false)
    await page.getByText('Filter: parked, chart_locked').click()
    await page.getByLabel('Error code').selectOption('')
    await goOn(page, () => page.getByRole('button', { name: 'Filter' }).click())
    await page.getByRole('link', { name: 'patient_unknown' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
  })

  it('retries the ticked rows, and leaves the others parked', async () => {
    await park('pa_locked_1', 'pa_locked_2', 'pa_locked_3')
    isMended = true
    await page.goto(`${gateway.adminUrl}/parked`)
    await page.getByLabel('chart of pa_locked_1').check()
    await page.getByLabel('chart of pa_locked_3').check()
    await goOn(page, () => page.getByRole('button', { name: 'Retry ticked' }).click())
    await page.getByText('2 of the ticked were made due').waitFor()
    await until('both are handled', async () => (await gateway.ledger.counts()).parked === 1)
  })

  it('says in a dry run what would be retried, and retries nothing', async () => {
    await park('pa_locked_1', 'pa_locked_2')
    isMended = true
    await page.goto(`${gateway.adminUrl}/parked`)
    await page.getByRole('button', { name: 'Dry run' }).click()
    await page.getByText('2 pieces of work in 1 group would be due at once').waitFor()
    await page.getByRole('listitem').filter({ hasText: 'pa_locked_1 chart' }).waitFor()
    expect(await gateway.ledger.counts()).toMatchObject({ parked: 2, due: 0 })
    await page.getByRole('button', { name: 'Retry all 2 that match' }).click()
    await until('both are handled', async () => (await gateway.ledger.counts()).parked === 0)
  })

  it('lets a page that is out of date retry nothing, and says what changed', async () => {
    await park('pa_locked_1')
    await page.goto(`${gateway.adminUrl}/parked`)
    await park('pa_locked_2')
    await page.getByRole('button', { name: 'Retry 1' }).click()
    await page.getByText('1 then, 2 now').waitFor()
    expect(await gateway.ledger.counts()).toMatchObject({ parked: 2, due: 0 })
    await page.getByRole('link', { name: 'See what matches now' }).click()
    await page.getByRole('button', { name: 'Retry all 2 that match' }).waitFor()
    // The browser says of the answer that it was 409.
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
  })

  it('is used by keyboard alone: from the overview to a retry', async () => {
    await park('pa_locked_1')
    isMended = true
    await page.goto(gateway.adminUrl)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content')
    const focused = () => page.evaluate('document.activeElement.textContent.trim()')
    const tabTo = async (text: string) => {
      for (let presses = 0; (await focused()) !== text; presses += 1) {
        if (presses > 60) throw new Error(`The keyboard never got to "${text}".`)
        await page.keyboard.press('Tab')
      }
    }
    await tabTo('Failing and parked')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Failing and parked' }).waitFor()
    await tabTo('Retry 1')
    await page.keyboard.press('Enter')
    await page.getByText('1 of 1 made due').waitFor()
    await page.getByText('Nothing is due any more, and none of it failed again so far.').waitFor()
    await until('it is handled', async () => (await gateway.ledger.counts()).parked === 0)
  })

  it('lists the alerts that are open, and leads to what one is about', async () => {
    await park('pa_locked_1')
    const work = { kind: 'work', subject: 'chart chart_locked', level: 100, count: 1, opens: true } as const
    await gateway.ledger.noteAlerts({ found: [work], gone: [] })
    await page.goto(gateway.adminUrl)
    await page.getByRole('link', { name: 'Alerts', exact: true }).click()
    await page.getByText('Alerts are sent nowhere').waitFor()
    await page.getByRole('link', { name: 'chart: 1 parked with chart_locked' }).click()
    await page.getByRole('button', { name: 'Retry 1' }).waitFor()
  })

  it('keeps the overview up to date until its live updates are stopped', async () => {
    await page.goto(gateway.adminUrl)
    await page.getByText('Live', { exact: true }).waitFor()
    const parked = page.locator('div', { has: page.locator('dt', { hasText: /^Parked$/ }) }).last()
    await park('pa_locked_1')
    await parked.getByText('1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Stop live updates' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    const shown = await page.evaluate('document.documentElement.dataset.shown')
    await park('pa_locked_2')
    await page.getByRole('button', { name: 'Start live updates' }).click()
    await parked.getByText('2', { exact: true }).waitFor()
    expect(Number(await page.evaluate('document.documentElement.dataset.shown'))).toBeGreaterThan(Number(shown))
  })

  it('shows the verdict and its actions on a phone without scrolling', async () => {
    await park('pa_locked_1')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(gateway.adminUrl)
    await page.getByText('Live', { exact: true }).waitFor()
    const verdict = await page.getByRole('region', { name: 'Verdict' }).boundingBox()
    expect((verdict?.y ?? 740) + (verdict?.height ?? 0)).toBeLessThan(600)
    const live = await page.getByRole('button', { name: 'Stop live updates' }).boundingBox()
    const title = await page.getByRole('heading', { name: 'Overview' }).boundingBox()
    // In one line with the title.
    expect(Math.abs((live?.y ?? 0) - (title?.y ?? 0))).toBeLessThan(30)
  })

  it('watches nothing in a hidden tab', async () => {
    await page.goto(gateway.adminUrl)
    await page.getByText('Live', { exact: true }).waitFor()
    const hide = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    await page.getByText('Stopped', { exact: true }).waitFor()
    await hide(false)
    await page.getByText('Live', { exact: true }).waitFor()
  })

  it('tells the story of a resource that was looked for by its id, and retries it', async () => {
    await park('pa_locked_1')
    isMended = true
    await page.goto(`${gateway.adminUrl}/resources`)
    await page.getByLabel("Search: id, patient's number").fill('pa_locked_1')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('heading', { name: 'pa_locked_1' }).waitFor()
    await page.getByText('chart failed and is parked').waitFor()
    // It leads back to this page: loaded anew in the middle of that, a page is cut off.
    await goOn(page, () => page.getByRole('button', { name: 'Retry chart' }).click())
    await until('it is handled', async () => (await gateway.ledger.counts()).parked === 0)
    await page.reload()
    await page.getByText('chart succeeded').waitFor()
  })

  it('finds an event by its number from any page, after /', async () => {
    await park('pa_locked_1')
    const { rows } = await gateway.ledger.listEvents({ resourceId: 'pa_locked_1' }, 1)
    await page.goto(`${gateway.adminUrl}/settings`)
    await page.keyboard.press('/')
    await page.keyboard.type(String(rows[0]?.id))
    await goOn(page, () => page.keyboard.press('Enter'))
    await page.getByRole('row', { name: /pa_locked_1 .* event/ }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keys and help' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('b')
    await page.getByRole('heading', { name: 'The chart is down' }).waitFor()
  })

  it('asks the service for resources by their ids, and for all of a time', async () => {
    isMended = true
    for (const id of ['pa_locked_1', 'pa_locked_2']) await deliver(gateway.url, envelope({ id }))
    await page.goto(`${gateway.adminUrl}/ask`)
    await page.getByLabel('Ids, each on a line').fill('pa:pa_locked_1\npa:pa_locked_2')
    await goOn(page, () => page.getByRole('button', { name: 'Sync' }).click())
    await page.getByText('2 resources will be read').waitFor()
    await goOn(page, () => page.getByRole('button', { name: 'Reconcile' }).click())
    await page.getByText('Nothing is left to read.').waitFor()
    const entries = await gateway.ledger.listAudit({ action: 'resource.reconcile' }, 5)
    expect(entries).toHaveLength(2)
  })

  it('cancels a reconcile: what was not read yet is polled at its own time', async () => {
    isMended = true
    for (const id of ['pa_1', 'pa_2', 'pa_3']) await deliver(gateway.url, envelope({ id }))
    await until('in step', async () => (await gateway.ledger.counts()).due === 0)
    // Nothing is polled meanwhile.
    await request(gateway.adminUrl).post('/api/pause').send({ all: true }).expect(200)
    await page.goto(`${gateway.adminUrl}/ask`)
    await goOn(page, () => page.getByRole('button', { name: 'Reconcile' }).click())
    await page.getByText('3 left to read.').waitFor()
    await goOn(page, () => page.getByRole('button', { name: 'Cancel' }).click())
    await page.getByText('Reconcile cancelled: 3 resources not read yet are polled at their own time.').waitFor()
    expect((await gateway.ledger.counts()).reconciling).toBe(0)
    expect(await gateway.ledger.listAudit({ action: 'reconcile.cancel' }, 5)).toHaveLength(1)
  })

  it('has its menu behind a button on a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto(gateway.adminUrl)
    expect(await page.getByRole('link', { name: 'Events' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Events' }).click()
    await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  })

  it.each(['light', 'dark'] as const)('has no barrier that axe knows, on any page, %s', async (colorScheme) => {
    await park('pa_locked_1', 'pa_other_1')
    await deliver(gateway.url, 'no envelope')
    await page.emulateMedia({ colorScheme })
    for (const address of addresses) {
      await page.goto(`${gateway.adminUrl}${address}`)
      expect({ address, barriers: await findBarriers(page) }).toEqual({ address, barriers: [] })
    }
  })

  it('fits a screen of 360 pixels: tables scroll by themselves, pages do not', async () => {
    await park('pa_locked_1', 'pa_other_1')
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of addresses) {
      await page.goto(`${gateway.adminUrl}${address}`)
      const width = await page.evaluate('document.documentElement.scrollWidth')
      expect({ address, width }).toEqual({ address, width: 360 })
    }
  })

  it('shows the texts of charts at 11 pixels and more, none of them cut, on 360 pixels', async () => {
    await park('pa_locked_1')
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of ['/', '/history']) {
      await page.goto(`${gateway.adminUrl}${address}`)
      const texts: { size: number; isCut: boolean }[] = await page.evaluate(`
        [...document.querySelectorAll('main svg[role=img] text')].map((text) => {
          const [chart, own] = [text.ownerSVGElement.getBoundingClientRect(), text.getBoundingClientRect()]
          const scale = chart.width / text.ownerSVGElement.viewBox.baseVal.width
          return {
            size: parseFloat(getComputedStyle(text).fontSize) * scale,
            isCut: own.left < chart.left || own.right > chart.right || own.top < chart.top || own.bottom > chart.bottom,
          }
        })`)
      expect(texts.length).toBeGreaterThan(2)
      expect({ address, small: texts.filter(({ size, isCut }) => size < 11 || isCut) }).toEqual({ address, small: [] })
    }
  })
})

describe('the pages', () => {
  const tokenOf = async () => {
    const { text } = await request(gateway.adminUrl).get('/resources').expect(200)
    return /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
  }
  const retry = (headers: Record<string, string>, fields: object) =>
    request(gateway.adminUrl).post('/parked/retry').type('form').set(headers).send(fields)

  it('let no script or style in that is not served from there', async () => {
    for (const address of addresses.slice(0, 3)) {
      const { headers, text } = await request(gateway.adminUrl).get(address).expect(200)
      expect(headers['content-security-policy']).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
      )
      expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+=|https?:/)
    }
  })

  it('take a form from their own origin with their token alone', async () => {
    await park('pa_locked_1')
    const token = await tokenOf()
    const fields = { token, count: 1, stamp: 'another', do: 'retry' }
    const { host } = new URL(gateway.adminUrl)
    await retry({ 'sec-fetch-site': 'cross-site' }, fields).expect(403)
    await retry({ origin: 'http://elsewhere.example' }, fields).expect(403)
    await retry({}, fields).expect(403)
    await retry({ 'sec-fetch-site': 'same-origin' }, { ...fields, token: 'guessed' }).expect(403)
    await retry({ origin: `http://${host}` }, fields).expect(409)
    expect(await gateway.ledger.counts()).toMatchObject({ parked: 1, due: 0 })
  })

  it('do not repeat the number that somebody looked for', async () => {
    const token = await tokenOf()
    const { text } = await request(gateway.adminUrl)
      .post('/resources/find')
      .type('form')
      .set('sec-fetch-site', 'same-origin')
      .send({ token, value: 'MRN-0007' })
      .expect(200)
    expect(text).toContain('No resource has this id')
    expect(text).not.toContain('MRN-0007')
  })

  it('name every setting and where it is from, and show no value', async () => {
    const { text } = await request(gateway.adminUrl).get('/settings').expect(200)
    for (const name of ['WEBHOOK_SECRETS', 'API_TOKEN', 'FHIR_BASE_URL']) expect(text).toContain(name)
    expect(text).not.toMatch(/token-for-tests|a-secret-for-tests/)
  })

  it('answer 404 as a page where a resource or a retry is not known', async () => {
    for (const address of ['/resources/pa_nobody', '/parked/jobs/none']) {
      const { headers } = await request(gateway.adminUrl).get(address).expect(404)
      expect(headers['content-type']).toContain('text/html')
    }
  })
})
