import { Command } from 'commander'
import type { Page } from 'playwright-core'
import request from 'supertest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineHandler, PawlError } from '../../../src/index.ts'
import { createAdminClient } from '../src/commands/admin-client.ts'
import { addParkedCommands } from '../src/commands/parked-commands.ts'
import { addStatusCommand } from '../src/commands/status-command.ts'
import type { Ehr } from '../../ehr/src/ehr.ts'
import { EhrWriteFailed } from '../../ehr/src/ehr-write-failed.ts'
import { execute } from '../../ledger/test/filled-ledger.ts'
import { createMemoryEhr } from '../../ehr/src/memory/memory-ehr.ts'
import { contract } from '../src/contract/contract.ts'
import { statusContract } from '../src/contract/status-contract.ts'
import { sayFinding } from '../src/contract/status-verdict.ts'
import type { System } from '../../connector/src/system.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { createScriptedApi, type ScriptedApi } from '../../../test/support/scripted-api.ts'
import { startLocalGateway, type LocalGateway } from '../../../test/support/start-local-gateway.ts'
import { openPages } from '../../../test/support/open-pages.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, envelope } from '../../../test/support/webhook.ts'
import { browserPath, findBarriers, findMisfits, goOn } from './browser.ts'
import { postForm } from './post-form.ts'

class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}
class PatientUnknown extends PawlError {
  readonly code = 'patient_unknown'
}
class ChartBusy extends PawlError {
  readonly code = 'chart_busy'
  override readonly retry = { afterMs: 3_600_000 }
}

let gateway: LocalGateway
let service: ScriptedApi
let page: Page
let complaints: string[]
let isMended: boolean
/** How often the chart refused. */
let refusals: number

const chart = defineHandler({
  name: 'chart',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    if (resource.id.startsWith('pa_away')) return ehr.putPriorAuthorization(resource)
    if (isMended) return
    if (resource.id.startsWith('pa_refused')) await ehr.putPriorAuthorization(resource)
    if (resource.id.startsWith('pa_busy')) throw new ChartBusy('The chart is busy.')
    throw resource.id.startsWith('pa_locked')
      ? new ChartLocked('The chart is open elsewhere.')
      : new PatientUnknown('The chart has no such patient.')
  },
})

const messages = defineHandler({
  name: 'messages',
  on: ['prior_authorization.message'],
  async handle({ resource, ehr }) {
    if (!isMended && resource.id.startsWith('pa_refused')) await ehr.putPriorAuthorization(resource)
  },
})

/** A chart that refuses all writes, and whose prescriptions lack the NPI. */
const ehr: System<Ehr> = {
  open: (run) => ({
    ...createMemoryEhr().open(run),
    async putPriorAuthorization({ id: resourceId }) {
      if (isMended) return
      refusals += 1
      const mayBeOutage = resourceId.startsWith('pa_away')
      const reason = 'HTTP 403, not retried'
      throw new EhrWriteFailed({
        resourceType: 'Task',
        resourceId,
        reason,
        status: 403,
        retry: 'never',
        isOutage: false,
        mayBeOutage,
      })
    },
  }),
  async draft() {
    const gap = { from: 'Practitioner.identifier', why: 'absent', says: 'the chart has none' } as const
    const [missing, leftOut] = [[{ field: 'provider.npi', ...gap }], [{ field: 'prescription.ndc', ...gap }]]
    return { isComplete: false, request: { patient: { last_name: 'Invented' } }, missing, leftOut }
  },
}

beforeEach(async () => {
  isMended = false
  refusals = 0
  service = createScriptedApi()
  gateway = await startLocalGateway(
    {
      api: service.api,
      handlers: [chart, messages],
      systems: { ehr },
      log: captureLog().log,
    },
    { BREAKER_COOLDOWN_MS: '3600000' },
  )
})
afterEach(() => gateway.destroy())

const ask = createAdminClient(() => ({ url: gateway.adminUrl, password: undefined }))

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
  '/runs',
  '/rejections',
  '/start',
  '/handlers',
  '/settings',
  '/history',
  '/ask',
  '/runbook',
  '/docs/operating',
  '/help',
  '/audit',
  '/erase',
]

describe.skipIf(browserPath === undefined)('the console in a browser', () => {
  openPages((opened) => void ({ page, complaints } = opened))

  /** Opens each page with something on it, those that answer a form last. */
  async function visitEach(look: (address: string) => Promise<void>): Promise<void> {
    for (const address of addresses) {
      await page.goto(`${gateway.adminUrl}${address}`)
      await look(address)
    }
    const send = (name: string) => goOn(page, () => page.getByRole('button', { name }).click())
    await page.goto(`${gateway.adminUrl}/start`)
    await page.getByLabel('Id of the MedicationRequest').fill('order-1')
    await send('Read the chart')
    await page.getByLabel('provider.npi').waitFor()
    await look('a draft')
    await page.goto(`${gateway.adminUrl}/resources`)
    await page.getByLabel("Search: id, patient's number").fill('not known')
    await send('Search')
    await look('what was found')
    await page.goto(`${gateway.adminUrl}/parked?resource=pa_locked_1&retried=1&left=0`)
    await look('a retry')
  }

  it('retries ten first by a button of the verdict, then the rest', async () => {
    await park(...Array.from({ length: 12 }, (_, index) => `pa_locked_${index}`))
    await page.goto(gateway.adminUrl)
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await verdict.getByRole('button', { name: 'Retry 12' }).waitFor()
    isMended = true
    await verdict.getByRole('button', { name: 'Retry 10 first' }).click()
    await page.getByText('10 made due now, 2 left.').waitFor()
    await goOn(page, () => page.getByRole('button', { name: 'Retry all 2 that match' }).click())
    await page.getByText('2 made due now, 0 left.').waitFor()
    await until('all are handled', async () => (await gateway.ledger.counts()).parked === 0)
  })

  it('works by keyboard alone, from the overview to a retry', async () => {
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
    await page.keyboard.press('k')
    expect(await focused()).toBe('pa_locked_1')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    expect(await focused()).toBe('pa_locked_1')
    await page.keyboard.press('/')
    await page.keyboard.type('gj')
    expect(await page.getByLabel("Search: id, patient's number").inputValue()).toBe('gj')
    await page.keyboard.press('Escape')
    expect(await focused()).not.toBe('')
    await page.keyboard.press('j')
    await tabTo('Retry 1')
    await page.keyboard.press('Enter')
    await page.getByText('1 made due now, 0 left.').waitFor()
    await until('it is handled', async () => (await gateway.ledger.counts()).parked === 0)
  })

  it('probes a system that is away at once, from the overview, a command and two pages', async () => {
    for (let n = 1; n <= 5; n += 1) await deliver(gateway.url, envelope({ id: `pa_away_${n}` }))
    await until('all of it waits', async () => (await gateway.ledger.work({ state: 'waiting' }, 10)).rows.length === 5)
    const before = refusals
    await page.goto(gateway.adminUrl)
    const now = 'Try the chart (ehr) now'
    await goOn(page, () => page.getByRole('button', { name: 'Try now' }).click())
    await page.getByText('Trying the chart (ehr): 5 cases try it now, then the others.').waitFor()
    // Where it was pressed, and where the verdict says what came of it.
    expect(new URL(page.url()).pathname).toBe('/')
    await page.setViewportSize({ width: 360, height: 740 })
    expect([await findMisfits(page), await findBarriers(page)]).toEqual([[], []])
    await until('it was asked once', () => refusals === before + 1)
    expect(await runCommand(gateway.adminUrl, 'probe', 'ehr')).toBe(
      '5 resources that wait for it try it now; see pawl status.',
    )
    await until('it was asked once more', () => refusals === before + 2)
    await runCommand(gateway.adminUrl, 'pause', '--all', '--reason', 'The chart is moved')
    await page.goto(`${gateway.adminUrl}/handlers`)
    await goOn(page, () => page.getByRole('button', { name: now }).click())
    await page.getByText('It gets no requests while all work is paused: resume that first.').waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
    await runCommand(gateway.adminUrl, 'resume', '--all')
    isMended = true
    await page.goto(`${gateway.adminUrl}/parked?state=waiting&system=ehr`)
    await goOn(page, () => page.getByRole('button', { name: now }).click())
    await until('it is back', async () => (await ask(statusContract.status)).away.length === 0)
    const [entry] = await gateway.ledger.listAudit({ action: 'work.retry' }, 1)
    expect(entry).toMatchObject({ details: { system: 'ehr', count: 5 } })
  })

  it('updates the overview live until stopped', async () => {
    await page.goto(gateway.adminUrl)
    await page.getByText('Live', { exact: true }).waitFor()
    const parked = page.locator('div', { has: page.locator('dt', { hasText: /^Parked$/ }) }).last()
    await parked.getByRole('link').focus()
    await park('pa_locked_1')
    await parked.getByText('1 piece', { exact: true }).waitFor()
    expect(await page.evaluate('document.activeElement.innerText')).toBe('1 piece')
    // What is open, and in use, stays so, and keeps nothing from being updated.
    const verdict = page.getByRole('region', { name: 'Verdict' })
    await verdict.getByText('More').click()
    await page.getByRole('button', { name: 'Stop live updates' }).click()
    await page.getByText('Stopped', { exact: true }).waitFor()
    await park('pa_locked_2')
    await page.getByRole('button', { name: 'Start live updates' }).click()
    await parked.getByText('2 pieces', { exact: true }).waitFor()
    await verdict.getByText('More').click()
    await verdict.getByText('More').click()
    await park('pa_locked_3')
    await verdict.getByText('3 cases parked').waitFor()
    expect(await verdict.getByRole('link', { name: 'See and retry' }).isVisible()).toBe(true)
    expect(await page.evaluate('document.activeElement.innerText')).toBe('More')
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

  it('stops live updates in a hidden tab', async () => {
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

  it('finds a resource by its id, shows its story, and retries it', async () => {
    await park('pa_locked_1')
    isMended = true
    await page.goto(`${gateway.adminUrl}/resources`)
    await page.getByLabel("Search: id, patient's number").fill('pa_locked_1')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('heading', { name: 'pa_locked_1' }).waitFor()
    await page.getByText(/chart failed after .* and is parked/).waitFor()
    // It leads back to this page: loaded anew in the middle of that, a page is cut off.
    await goOn(page, () => page.getByRole('button', { name: 'Retry chart' }).click())
    await until('it is handled', async () => (await gateway.ledger.counts()).parked === 0)
    await page.reload()
    await page.getByText('chart succeeded').waitFor()
    const time = page.locator('main time[data-when]').first()
    expect(await time.innerText()).toMatch(/^(now|\d+ (s|min) ago)$/)
    // The local one, then the one in UTC.
    const at = (await time.getAttribute('datetime')) ?? ''
    expect(await time.getAttribute('title')).toMatch(/^\D.*\d{4}.* \(.*Z\)$/)
    expect(await time.getAttribute('title')).toContain(`(${at})`)
  })

  it('finds an event by its number with the keys of any page', async () => {
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

  it('shortens an id, and copies the whole of it', async () => {
    const id = `pa_locked_${'1'.repeat(30)}`
    await park(id)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${gateway.adminUrl}/resources`)
    const link = page.getByRole('link', { name: id })
    expect(await link.getAttribute('title')).toBe(id)
    expect(await page.evaluate("document.querySelector('.short-id a').scrollWidth > 200")).toBe(true)
    expect((await link.boundingBox())?.width).toBeLessThan(260)
    await page.getByRole('button', { name: `Copy ${id}` }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  })

  it('gives each row of a list a line or two on a phone, which open to the whole, and folds the settings', async () => {
    await park('pa_locked_1', 'pa_refused_1')
    await page.setViewportSize({ width: 360, height: 740 })
    const heights: [string, unknown][] = []
    for (const address of ['/', '/parked', '/resources', '/events', '/runs', '/handlers', '/settings', '/audit']) {
      await page.goto(`${gateway.adminUrl}${address}`)
      const rows = "[...document.querySelectorAll('.scroll.lines tbody tr')]"
      heights.push([address, await page.evaluate(`Math.max(...${rows}.map((each) => each.offsetHeight))`)])
    }
    for (const [address, height] of heights)
      expect(height, address).toBeLessThan(address === '/parked' || address === '/events' ? 75 : 60)
    for (const [address, name] of [
      ['/parked', 'chart'],
      ['/events', 'prior_authorization.status_change'],
    ] as const) {
      await page.goto(`${gateway.adminUrl}${address}`)
      const below = page.locator('td.below > div').first()
      expect(await below.innerText()).toBe(name)
      const isCut = "[...document.querySelectorAll('td.below > div')].some((of) => of.scrollWidth > of.clientWidth)"
      expect(await page.evaluate(isCut)).toBe(false)
    }
    await page.goto(`${gateway.adminUrl}/runs`)
    const row = page.getByRole('row', { name: /pa_refused_1|parked/ }).first()
    expect(await row.getByText('Error code').count()).toBe(0)
    await row.locator('summary').click()
    await row.getByRole('link', { name: /pa_/ }).waitFor()
    await page.goto(`${gateway.adminUrl}/settings`)
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(2_500)
  })

  it('says little of what is zero', async () => {
    await park('pa_locked_1')
    await page.goto(gateway.adminUrl)
    const sizeOf = (name: string) =>
      page
        .locator('.tiles div', { has: page.locator('dt', { hasText: name }) })
        .locator('dd')
        .boundingBox()
    expect((await sizeOf('Failing'))?.height).toBeLessThan((await sizeOf('Parked'))?.height ?? 0)
  })

  it('says of an event which handlers handled it, and which do not follow it', async () => {
    isMended = true
    await deliver(gateway.url, envelope({ id: 'pa_seen' }))
    await deliver(gateway.url, envelope({ id: 'pa_seen' }, 'prior_authorization.message'))
    await until('the resource is in sync', async () => (await gateway.ledger.counts()).due === 0)
    const { rows } = await gateway.ledger.listEvents({ resourceId: 'pa_seen' }, 2)
    const handlersOf = async (id = 0) => (await ask(contract.event, { id: String(id) })).handlers
    expect(await Promise.all(rows.map(({ id }) => handlersOf(id)))).toEqual([
      [
        { handler: 'chart', state: 'unfollowed' },
        { handler: 'messages', state: 'handled' },
      ],
      [
        { handler: 'chart', state: 'handled' },
        { handler: 'messages', state: 'handled' },
      ],
    ])
  })

  it('lists resources with their status and how they ended', async () => {
    isMended = true
    service.set({ id: 'pa_seen', status: 'completed', outcome: { result: 'Denied' } })
    await deliver(gateway.url, envelope({ id: 'pa_seen' }))
    await until('the status is projected', async () => {
      const { resources } = await ask(contract.resources, { query: {} })
      return resources.some(({ status, result }) => status === 'completed' && result === 'denied')
    })
    await page.goto(`${gateway.adminUrl}/resources`)
    await page.getByRole('row', { name: /pa_seen.*completed, denied/ }).waitFor()
  })

  it('shows what became of an event on a page of its own, and says of another number that there is none', async () => {
    await park('pa_locked_1')
    const { rows } = await gateway.ledger.listEvents({ resourceId: 'pa_locked_1' }, 1)
    await page.goto(`${gateway.adminUrl}/events?resource=pa_locked_1`)
    await goOn(page, () => page.getByRole('link', { name: String(rows[0]?.id), exact: true }).click())
    await page.getByRole('row', { name: /^chart parked/ }).waitFor()
    await page.getByRole('row', { name: /chart.*parked.*chart_locked/ }).waitFor()
    await page.getByText('What it says of the patient').click()
    await page.getByLabel('Why it must be seen').fill('The clinic asks')
    await goOn(page, () => page.getByRole('button', { name: 'Show the content' }).click())
    await page.getByText('prior_authorization.status_change').waitFor()
    await page.goto(`${gateway.adminUrl}/events/${rows[0]?.id}`)
    expect(await page.locator('.tiles').innerHTML()).toContain('prior_<wbr>authorization.<wbr>status_<wbr>change')
    const tiles = "[...document.querySelectorAll('.tiles dd, .tiles time')]"
    expect(
      await page.evaluate(
        `${tiles}.filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0 || each.getBoundingClientRect().right > each.closest('.tiles > div').getBoundingClientRect().right).length`,
      ),
    ).toBe(0)
    isMended = true
    await goOn(page, () => page.getByRole('button', { name: 'Retry chart' }).click())
    await page.getByRole('heading', { name: 'pa_locked_1' }).waitFor()
    expect((await fetch(`${gateway.adminUrl}/events/999999`)).status).toBe(404)
  })

  it('takes the ids of missing resources during a reconcile, and that no other is missing', async () => {
    isMended = true
    for (const id of ['pa_1', 'pa_2']) await deliver(gateway.url, envelope({ id }))
    await until('in sync', async () => (await gateway.ledger.counts()).due === 0)
    // Nothing is polled meanwhile.
    await request(gateway.adminUrl).post('/api/pause').send({ all: true }).expect(200)
    await page.goto(`${gateway.adminUrl}/ask`)
    await goOn(page, () => page.getByRole('button', { name: 'Read what changed' }).click())
    await page.getByText('0 of 2 known cases read').waitFor()
    await page.getByLabel('Ids of cases that were new').fill('pa:pa_locked_1')
    expect(await findBarriers(page)).toEqual([])
    await goOn(page, () => page.getByRole('button', { name: 'Read these, that is all' }).click())
    await page.getByText('1 case is being read.').waitFor()
    await page.getByRole('region', { name: 'Verdict' }).waitFor()
    const entries = await gateway.ledger.listAudit({ action: 'resource.reconcile' }, 2)
    expect(entries.map((entry) => entry.details)).toEqual([
      { resources: [], count: 0 },
      { resources: ['pa:pa_locked_1'], count: 1 },
    ])
    expect(await findBarriers(page)).toEqual([])
  })

  it('follows new events until told to stop', async () => {
    await page.clock.install()
    await page.goto(`${gateway.adminUrl}/events`)
    const link = (name: string) => page.getByRole('link', { name, exact: true })
    await goOn(page, () => link('Follow new events').click())
    await deliver(gateway.url, envelope({ id: 'pa_locked_1' }))
    await page.clock.runFor(2_000)
    await link('pa_locked_1').waitFor()
    await goOn(page, () => link('Stop following').click())
    let asked = 0
    page.on('request', (each) => (asked += new URL(each.url()).pathname === '/events' ? 1 : 0))
    await deliver(gateway.url, envelope({ id: 'pa_locked_2' }))
    await page.clock.runFor(60_000)
    expect(await link('pa_locked_2').count()).toBe(0)
    expect(asked).toBe(0)
    await page.reload()
    await link('pa_locked_2').waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'shows each page without barriers, on a desktop and a phone, %s',
    async (colorScheme) => {
      await park('pa_locked_1', 'pa_other_1')
      await deliver(gateway.url, 'no envelope')
      const work = { kind: 'work', subject: 'chart chart_locked', level: 100, count: 1, opens: true } as const
      await gateway.ledger.noteAlerts({ found: [work], gone: [] })
      await gateway.ledger.noteAlerts({ found: [], gone: await gateway.ledger.openAlerts() })
      await page.emulateMedia({ colorScheme })
      await visitEach(async (address) => {
        const wide: string[] = await page.evaluate(`
        [...document.querySelectorAll('.scroll')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map((each) => each.getAttribute('aria-label'))`)
        const seen = { address, wide, barriers: await findBarriers(page) }
        await page.setViewportSize({ width: 360, height: 740 })
        expect({ ...seen, misfits: await findMisfits(page) }).toEqual({ address, wide: [], barriers: [], misfits: [] })
        await page.setViewportSize({ width: 1280, height: 900 })
      })
    },
  )

  it('draws no text of a chart below 11 pixels, and cuts none, at 360 pixels', async () => {
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
  const read = async (address: string) => (await request(gateway.adminUrl).get(address).expect(200)).text
  const post = (address: string, fields: object) => postForm(gateway.adminUrl, address, fields)
  const textOf = (html: string) =>
    html
      .replaceAll(/<[^>]+>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
  /** The part of a page from what is labelled so to the next section. */
  function sectionOf(html: string, label: string): string {
    const from = html.indexOf(`aria-label="${label}"`)
    expect(from, label).toBeGreaterThan(-1)
    return html.slice(from).split('</section>', 1)[0] ?? ''
  }
  /** The forms of a page, with what they send unseen. */
  const formsIn = (html: string) =>
    [...html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>(.*?)<\/form>/gs)].map(([, action = '', body = '']) => ({
      action,
      fields: Object.fromEntries(
        [...body.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      ),
    }))

  it('load scripts and styles from their own origin only', async () => {
    for (const address of addresses.slice(0, 3)) {
      const { headers, text } = await request(gateway.adminUrl).get(address).expect(200)
      expect(headers['content-security-policy']).toBe(
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';form-action 'self';base-uri 'none';frame-ancestors 'none'",
      )
      expect(text).not.toMatch(/<script>|<style|\sstyle=|\son[a-z]+=|https?:/)
    }
  })

  it('accept a form only from their own origin and with their token', async () => {
    await park('pa_locked_1')
    const token = await tokenOf()
    const fields = { token, handler: 'nobody' }
    const { host } = new URL(gateway.adminUrl)
    await retry({ 'sec-fetch-site': 'cross-site' }, fields).expect(403)
    await retry({ origin: 'http://elsewhere.example' }, fields).expect(403)
    await retry({}, fields).expect(403)
    await retry({ 'sec-fetch-site': 'same-origin' }, { ...fields, token: 'guessed' }).expect(403)
    await retry({ origin: `http://${host}` }, fields).expect(404)
    expect(await gateway.ledger.counts()).toMatchObject({ parked: 1, due: 0 })
  })

  it('never repeat a searched number, neither on the page nor in the audit trail', async () => {
    const { text } = await post('/resources/find', { token: await tokenOf(), value: 'MRN-0007' }).expect(200)
    expect(text).toContain('No resource has this id')
    expect(text).not.toContain('MRN-0007')
    const entries = await gateway.ledger.listAudit({ action: 'resource.find' }, 5)
    expect(entries).toMatchObject([{ actor: { name: 'maria@ops-1' }, details: { fields: [], count: 0 } }])
    expect(JSON.stringify(entries)).not.toContain('MRN-0007')
  })

  it('show the same verdict as /api/status and `pawl status`', async () => {
    await park('pa_locked_1', 'pa_locked_2')
    const [, headline = '', effect = ''] =
      /<p class="headline">(.*?)<\/p><p class="effect">(.*?)<\/p>/s.exec(await read('/')) ?? []
    const printed: [line: string, tone: string | undefined][] = []
    const program = new Command().exitOverride()
    addStatusCommand(program, { ask, print: (line, tone) => void printed.push([line, tone]), clear() {} })
    await program.parseAsync(['status'], { from: 'user' })
    const [finding] = (await ask(statusContract.status)).verdict
    const said = '2 cases parked since … (chart: chart_locked). Nothing lost.'
    const withoutTime = (sentence: string) => sentence.replace(/since .*? \(/, 'since … (')
    expect(withoutTime(`${textOf(headline)} ${effect}`)).toBe(said)
    expect(withoutTime(sayFinding(finding, () => '12:00'))).toBe(said)
    expect(withoutTime(printed[0]?.[0] ?? '')).toBe(said)
    // In the colour of its severity, as parked work is.
    expect(printed[0]?.[1]).toBe('bad')
    expect(printed.filter(([line]) => /^parked +2 pieces of work$/.test(line))).toEqual([[expect.any(String), 'bad']])
    expect(printed.filter(([line]) => line.startsWith('failing'))).toEqual([[expect.any(String), undefined]])
  })

  it('group handlers stopped by one cause, and retry the group as a whole', async () => {
    await park('pa_other_1', 'pa_refused_1')
    await deliver(gateway.url, envelope({ id: 'pa_refused_2' }, 'prior_authorization.message'))
    await until('both are parked', async () => (await gateway.ledger.counts()).parked === 3)
    const group = sectionOf(await read('/parked'), 'The chart refuses: HTTP 403')
    expect(textOf(group)).toContain('2 pieces parked')
    for (const handler of ['chart', 'messages'])
      expect(group).toMatch(
        new RegExp(`data-name="Handler"><div><a href="[^"]*handler=${handler}[^"]*">${handler}</a>`),
      )
    expect(group).toContain('<a href="/handlers/pause?kind=system&amp;name=ehr">Pause the chart (ehr)</a>')
    // The section shows the message, so no row of the table below repeats it.
    const [above = '', below = ''] = (await read('/parked')).split('Work that matches')
    expect(above).toContain('HTTP 403, not retried')
    expect(below).not.toContain('HTTP 403, not retried')
    const lines: string[] = []
    const program = new Command().exitOverride()
    addParkedCommands(program, { ask, print: (line) => void lines.push(line) })
    await program.parseAsync(['parked'], { from: 'user' })
    expect(lines).toHaveLength(3)
    expect(lines.filter((line) => line.includes('HTTP 403, not retried')).length).toBeLessThan(3)
    isMended = true
    const [form] = formsIn(group)
    expect(form?.fields).toMatchObject({ state: 'parked', system: 'ehr', error: 'ehr_write_failed' })
    await post('/parked/retry', { ...form?.fields, limit: '' }).expect(303)
    const left = async () => (await gateway.ledger.work({}, 5)).rows.map(({ resourceId }) => resourceId)
    await expect.poll(left).toEqual(['pa_other_1'])
  })

  it('discard the work that the page showed, for a reason, and leave later failures', async () => {
    await park('pa_locked_1')
    const discard = formsIn(await read('/parked')).find(({ action }) => action === '/parked/discard')
    await park('pa_locked_2')
    await post('/parked/discard', { ...discard?.fields, reason: ' x ' }).expect(400)
    const reason = 'The patient left the clinic'
    const { headers } = await post('/parked/discard', { ...discard?.fields, reason }).expect(303)
    expect(textOf(await read(String(headers.location)))).toContain('1 discarded')
    expect((await gateway.ledger.work({}, 5)).rows.map(({ resourceId }) => resourceId)).toEqual(['pa_locked_2'])
    expect(await gateway.ledger.listAudit({ action: 'work.discard' }, 5)).toMatchObject([
      { resourceId: 'pa_locked_1', reason },
    ])
  })

  it('draw the history of an hour, a day and a week, with incidents marked', async () => {
    const at = Date.now()
    // What ran so far is counted, and no longer shown.
    await gateway.ledger.catchUp()
    await execute(`file:${gateway.databasePath}`, 'delete from tallies')
    for (const [when, value] of [
      [at, 7],
      [at - 3 * 3_600_000, 40],
      [at - 3 * 86_400_000, 500],
    ])
      for (const [span, ms] of [
        ['minute', 60_000],
        ['hour', 3_600_000],
      ])
        await execute(
          `file:${gateway.databasePath}`,
          `insert into tallies (span, at, name, value) values ('${span}', ${Math.floor(Number(when) / Number(ms)) * Number(ms)}, 'delivered', ${value})`,
        )
    const most = async (range: string) =>
      /Deliveries of the last ([^:]+): at most (\d+) in one step/
        .exec(await read(`/history?range=${encodeURIComponent(range)}`))
        ?.slice(1)
    expect(await most('1 h')).toEqual(['1 h', '7'])
    expect(await most('24 h')).toEqual(['24 h', '40'])
    expect(await most('7 d')).toEqual(['7 d', '500'])
    const calm = await read('/history')
    expect(calm).toContain('No alert was open in this range.')
    expect(calm).not.toContain('class="incident"')
    const work = { kind: 'work', subject: 'chart chart_locked', level: 100, count: 1, opens: true } as const
    await gateway.ledger.noteAlerts({ found: [work], gone: [] })
    const marked = await read('/history')
    expect(marked.match(/class="incident"/g)).toHaveLength(marked.match(/<figure>/g)?.length ?? 0)
    expect(textOf(sectionOf(marked, 'Incidents'))).toMatch(/1 case parked since .+ \(chart: chart_locked\)/)
  })

  it('find resources by state, and one by the start of its id that a list shows', async () => {
    await park('pa_locked_0123456789')
    expect(await read('/resources?state=parked')).toContain('pa_locked_0123456789')
    expect(await read('/resources?state=waiting')).toContain('No resources.')
    const { headers } = await post('/resources/find', { value: 'pa_locked_0123…', token: await tokenOf() }).expect(303)
    expect(headers.location).toBe('/resources/pa_locked_0123456789')
  })

  it('list every setting with its source, and show the values of numbers and choices alone', async () => {
    const { text } = await request(gateway.adminUrl).get('/settings').expect(200)
    for (const name of ['WEBHOOK_SECRETS', 'API_TOKEN', 'FHIR_BASE_URL']) expect(text).toContain(name)
    expect(text).not.toMatch(/token-for-tests|a-secret-for-tests|127\.0\.0\.1:\d/)
    const shown = textOf(text)
    for (const row of [/BREAKER_COOLDOWN_MS\s*3600000/, /ROLE\s*all/, /API_TOKEN\s*not shown/])
      expect(shown).toMatch(row)
    expect(text).not.toContain('data-name="Of"')
  })

  it('offer no look at a chart that cannot be read back', async () => {
    await deliver(gateway.url, envelope({ id: 'pa_req_1' }))
    const { text } = await request(gateway.adminUrl).get('/resources/pa_req_1').expect(200)
    expect(text).toContain('What it says of the patient')
    expect(text).not.toContain('See what the chart shows')
  })

  it('answer 404 with a page for an unknown resource', async () => {
    const { headers } = await request(gateway.adminUrl).get('/resources/pa_nobody').expect(404)
    expect(headers['content-type']).toContain('text/html')
  })
})
