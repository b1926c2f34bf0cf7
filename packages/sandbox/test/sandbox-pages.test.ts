import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../src/sandbox.ts'
import { browserPath, findBarriers, findMisfits, goOn } from '../../console/test/browser.ts'
import { openPages } from '../../../test/support/open-pages.ts'
import { until } from '../../../test/support/until.ts'
import { type Receiver, startReceiver } from './start-receiver.ts'

let receiver: Receiver
let sandbox: Sandbox
let url: string
let browser: Browser
let page: Page
let complaints: string[]

const secret = 'a-secret-of-the-tests-that-is-long-enough'
const places = {
  overview: '/_sandbox/',
  cases: '/_sandbox/pages/cases',
  create: '/_sandbox/pages/create',
  edit: '/_sandbox/pages/create/edit?example=open',
  scenarios: '/_sandbox/pages/scenarios',
  deliveries: '/_sandbox/pages/deliveries',
  requests: '/_sandbox/pages/requests',
  controls: '/_sandbox/pages/controls',
  chaos: '/_sandbox/pages/controls/form?control=PUT+%2Fchaos',
  webhook: '/_sandbox/pages/controls/form?control=PUT+%2Forganizations%2F%3Aorganization%2Fwebhooks',
}

beforeEach(async () => {
  receiver = await startReceiver()
  sandbox = createSandbox({
    seed: 7,
    speed: 0,
    organizations: [{ id: 'org_a', webhooks: [{ name: 'mine', url: receiver.url, secret }] }, { id: 'org_b' }],
  })
  ;({ url } = await sandbox.listen())
})
afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const go = (place: keyof typeof places) => page.goto(`${url}${places[place]}`)
const menu = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const press = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' }).click()
/** Presses what sends a form, and waits for the page that answers it. */
const send = (name: string | RegExp) => goOn(page, () => press(name))
/** Waits for the page with this heading, all of it. */
async function heading(name: string | RegExp): Promise<void> {
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  await page.waitForLoadState()
}
/** A tile of the page, by its name. */
const tile = (name: string) =>
  page.locator('.tiles > div', { has: page.locator('dt', { hasText: new RegExp(`^${name}$`) }) }).locator('dd')

/** Creates the example by hand; its page is open then. */
async function createExample(title: string): Promise<string> {
  await go('create')
  await press(`Create: ${title}`)
  await heading(/^pa_req_/)
  return page.getByRole('heading', { level: 1 }).innerText()
}

const denied = 'A denied prior authorization'
const approved = 'An approved prior authorization, with a transfer to a pharmacy'

describe.skipIf(browserPath === undefined)('the pages of the sandbox in a browser', () => {
  openPages((opened) => void ({ browser, page, complaints } = opened))

  it('take a PA from an example to its denial, and show and redeliver its webhook', async () => {
    const id = await createExample(denied)
    expect(await page.getByRole('button', { name: 'Move to completed' }).count()).toBe(0)
    await page.getByText('Not possible now, and why').click()
    await page.getByText('It follows only validating_outcome or awaiting_outcome.').first().waitFor()
    await send('Move to processing')
    await send('Move to awaiting_outcome')
    const form = page.getByRole('form', { name: 'Move to completed' })
    await form.getByLabel('Outcome').selectOption('Denied: plan exclusion')
    await goOn(page, () => form.getByRole('button').click())
    await expect.poll(() => tile('Status').innerText()).toBe('completed: Denied, plan_exclusion')
    await page.getByText('The case ended as completed: no other status follows.').waitFor()
    expect(await page.getByRole('button', { name: /^Move/ }).count()).toBe(0)
    expect(await page.locator('button:disabled').count()).toBe(0)
    await until('the denial was delivered', () => receiver.received.length === 4)
    await page.reload()
    const row = page.getByRole('row', { name: /prior_authorization.status_change/ }).first()
    await row.getByRole('link').first().click()
    await heading(/^Delivery/)
    const body = page.getByRole('region', { name: 'Body' })
    expect(JSON.parse(await body.innerText())).toMatchObject({
      event_type: 'prior_authorization.status_change',
      data: { id, status: 'completed', outcome: { result: 'Denied', detail_code: 'plan_exclusion' } },
    })
    await page.getByText('x-webhook-secret').waitFor()
    const original = await page.getByRole('heading', { level: 1 }).innerText()
    await press('Deliver again')
    await page.getByRole('link', { name: original }).waitFor()
    await page.getByText(/^Delivery 4 was sent again as delivery 5\.$/).waitFor()
    await until('it came again', () => receiver.received.length === 5)
    expect(receiver.received[4]?.body).toBe(receiver.received[3]?.body)
  })

  it('change the outcome of a PA that ended, and the last day of its approval', async () => {
    const id = await createExample(approved)
    const ends = page.getByRole('form', { name: 'Take all steps' })
    await ends.getByLabel('Outcome').selectOption('Approved: approval')
    await goOn(page, () => ends.getByRole('button').click())
    await page.getByText('The case ended as completed: no other status follows.').waitFor()
    const form = page.getByRole('form', { name: 'Change the outcome' })
    await form.getByLabel('Another outcome').selectOption('Approved: approval')
    await form.getByLabel('Last day').fill('2027-06-30')
    await goOn(page, () => form.getByRole('button').click())
    const outcome = () => sandbox.truth().prior_authorizations.find((each) => each.id === id)?.outcome
    expect(outcome()).toMatchObject({ result: 'Approved', authorization_expiration: '2027-06-30' })
    await form.getByLabel('Another outcome').selectOption('Denied: plan exclusion')
    await goOn(page, () => form.getByRole('button').click())
    expect(outcome()).toMatchObject({ result: 'Denied', detail_code: 'plan_exclusion' })
  })

  it("keep a form's choice while the case moves, and show the current state after a step that came too late", async () => {
    const id = await createExample(approved)
    const ends = page.getByRole('form', { name: 'Take all steps' }).getByLabel('Outcome')
    const denial = 'Denied: step therapy criteria not met'
    await ends.selectOption(denial)
    // A person within a field is left alone anyway.
    await ends.blur()
    sandbox.controls.push(id, 'processing')
    await expect.poll(() => tile('Status').innerText()).toBe('processing')
    await page.getByRole('button', { name: 'Move to awaiting_outcome' }).waitFor()
    expect(await ends.locator('option:checked').innerText()).toBe(denial)
    await press('Stop live updates')
    sandbox.controls.push(id, 'awaiting_outcome')
    sandbox.controls.push(id, 'completed')
    await press('Move to awaiting_provider_response')
    const told = page.getByRole('alert')
    await told.getByText('The case moved on before your click: the page showed processing, it is completed.').waitFor()
    await heading(id)
    expect(sandbox.truth().prior_authorizations[0]?.status).toBe('completed')
    await page.getByText('The case ended as completed: no other status follows.').waitFor()
  })

  it('keep a refused request as typed, and say why it is not JSON', async () => {
    await go('edit')
    await page.getByLabel('Organization').selectOption('org_b')
    const typed = '{\n  "patient": {\n    "internal_id": "mine",\n  }\n}'
    await page.getByLabel('Body').fill(typed)
    await press('Send')
    await heading('Refused with 422')
    await page.getByText('The body is not JSON: Expected double-quoted property name').waitFor()
    expect(await page.getByLabel('Body').inputValue()).toBe(typed)
    expect(await page.getByLabel('Organization').inputValue()).toBe('org_b')
    expect(await findBarriers(page)).toEqual([])
    await page.getByLabel('Body').fill('{ "patient": {} }')
    await page.getByLabel('Endpoint').selectOption('/benefit-verification')
    await press('Send')
    await page.getByRole('region', { name: 'Answer' }).getByText('provider').first().waitFor()
    expect(await page.getByText('The body is not JSON').count()).toBe(0)
    expect(await page.getByLabel('Body').inputValue()).toBe('{ "patient": {} }')
    expect(await page.getByLabel('Endpoint').inputValue()).toBe('/benefit-verification')
    // The browser says of the refusals that they were some.
    expect(complaints.splice(0)).toEqual(Array(2).fill(expect.stringMatching(/status of 422/)))
  })

  it('keep a list up to date unless the tab is hidden or the user stops it', async () => {
    await go('cases')
    await page.getByText('Live', { exact: true }).waitFor()
    const id = await createBeside()
    await page.getByRole('link', { name: id }).waitFor()
    await press('Stop live updates')
    await page.getByText('Stopped', { exact: true }).waitFor()
    await press('Start live updates')
    const hide = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} }); document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await hide(true)
    await page.getByText('Stopped', { exact: true }).waitFor()
    const later = await createBeside()
    await hide(false)
    await page.getByRole('link', { name: later }).waitFor()
  })

  it("change settings by forms made from the controls' schemas, filled with the current values", async () => {
    await go('overview')
    await menu('Controls')
    await page.getByRole('link', { name: 'Change single chances' }).click()
    await page.getByLabel('sending, drop').fill('1')
    await send('Send')
    await page.getByText('Done.').waitFor()
    expect(sandbox.controls.readChaos()).toMatchObject({ sending: { drop: 1, delay: 0 }, answering: { timeout: 0 } })
    expect(await page.getByLabel('sending, drop').inputValue()).toBe('1')
    await go('chaos')
    const presets = page.getByRole('form', { name: 'Set all chances, or a preset, 1' })
    await presets.getByLabel('preset').selectOption('off')
    await goOn(page, () => presets.getByRole('button').click())
    expect(sandbox.controls.readChaos().sending.drop).toBe(0)

    await go('webhook')
    const form = page.getByRole('form', { name: 'Add or replace a webhook by its name' })
    await form.getByLabel('organization').fill('org_b')
    await form.getByLabel('name').fill('theirs')
    await form.getByLabel('url').fill(receiver.url)
    await form.getByLabel('events').fill('["prior_authorization.message"]')
    await form.getByLabel('enabled').selectOption('true')
    await goOn(page, () => form.getByRole('button').click())
    await page.getByRole('alert').getByText('Refused with 422.').waitFor()
    expect(await page.getByRole('region', { name: 'Answer' }).innerText()).toContain('Field required')
    await form.getByLabel('organization').fill('org_b')
    for (const [label, value] of [
      ['name', 'theirs'],
      ['url', receiver.url],
      ['secret', secret],
    ] as const)
      await form.getByLabel(label).fill(value)
    await form.getByLabel('events').fill('["prior_authorization.message"]')
    await goOn(page, () => form.getByRole('button').click())
    expect(sandbox.controls.listWebhooks('org_b')).toMatchObject([
      { name: 'theirs', url: receiver.url, events: ['prior_authorization.message'] },
    ])
    // The browser says of the refusal that it was one.
    expect(complaints.splice(0)).toEqual([expect.stringMatching(/status of 422/)])
  })

  it('are used by keyboard alone: from the overview to a case', async () => {
    await go('overview')
    await page.keyboard.press('Tab')
    const focused = () => page.evaluate('document.activeElement.textContent.trim()')
    const named = () => page.evaluate('document.activeElement.ariaLabel')
    expect(await focused()).toBe('Skip to the content')
    await tabUntil(async () => (await focused()) === 'Create')
    await page.keyboard.press('Enter')
    await heading('Create a case')
    await tabUntil(async () => (await named()) === `Create: ${denied}`)
    await page.keyboard.press('Enter')
    await heading(/^pa_req_/)
    await tabUntil(async () => (await named()) === 'Move to processing')
    await page.keyboard.press('Enter')
    await expect.poll(() => tile('Status').innerText()).toBe('processing')
  })

  it('work without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const plain = await context.newPage()
    await plain.goto(`${url}${places.create}`)
    await plain.getByRole('button', { name: `Create: ${denied}` }).click()
    await plain.getByRole('heading', { name: /^pa_req_/ }).waitFor()
    await plain.getByRole('button', { name: 'Move to processing' }).click()
    await plain.getByText('created → processing').waitFor()
    await plain.goto(`${url}/_sandbox/pages/controls`)
    await plain.getByRole('link', { name: 'Plan a failure' }).click()
    await plain.getByLabel('operation').fill('POST /benefit-verification')
    await plain.getByLabel('code').fill('unauthorized')
    await goOn(plain, () => plain.getByRole('button', { name: 'Send' }).click())
    await plain.getByRole('region', { name: 'Answer' }).getByText('"unauthorized"').waitFor()
    expect(sandbox.controls.listFailures('org_a')).toMatchObject([{ code: 'unauthorized', times: 1 }])
    await context.close()
  })

  it.each(['light', 'dark'] as const)('have no accessibility fault by axe on any page, %s', async (colorScheme) => {
    const addresses = await everyAddress()
    await page.emulateMedia({ colorScheme })
    for (const address of addresses) {
      await page.goto(`${url}${address}`)
      expect({ address, barriers: await findBarriers(page) }).toEqual({ address, barriers: [] })
    }
  })

  it('fit a screen of 360 pixels, with rows as labelled cards and buttons of thumb size', async () => {
    const addresses = await everyAddress()
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of addresses) {
      await page.goto(`${url}${address}`)
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
      expect({ address, misfits: await findMisfits(page) }).toEqual({ address, misfits: [] })
    }
    // On a desk, nothing of these two scrolls sideways at all.
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const place of ['chaos', 'deliveries'] as const) {
      await go(place)
      const wider = await page.locator('body *').evaluateAll((all) =>
        all
          // An id is shortened, with a button that copies the whole.
          .filter((each) => !each.closest('.short-id'))
          .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
          .map((each) => `${each.tagName} ${each.className} ${each.clientWidth} ${each.scrollWidth}`),
      )
      expect({ place, wider }).toEqual({ place, wider: [] })
    }
  })
})

async function tabUntil(isThere: () => Promise<boolean>): Promise<void> {
  for (let presses = 0; !(await isThere()); presses += 1) {
    if (presses > 100) throw new Error('The keyboard never got there.')
    await page.keyboard.press('Tab')
  }
}

/** Creates a PA by a page that no browser shows; its id. */
async function createBeside(): Promise<string> {
  const before = sandbox.truth().prior_authorizations.length
  await fetch(`${url}/_sandbox/pages/create/example`, {
    method: 'POST',
    body: new URLSearchParams({ example: 'denied' }),
  })
  return sandbox.truth().prior_authorizations[before]?.id ?? ''
}

/** Every page, with something on it. */
async function everyAddress(): Promise<string[]> {
  const id = await createBeside()
  for (const example of ['approved', 'verification', 'qualification', 'status-check'])
    await fetch(`${url}/_sandbox/pages/create/example`, { method: 'POST', body: new URLSearchParams({ example }) })
  const [, transferred] = sandbox.truth().prior_authorizations
  for (const status of ['processing', 'awaiting_outcome', 'validating_outcome', 'completed'])
    sandbox.controls.push(transferred?.id ?? '', status)
  // The longest event type.
  sandbox.controls.pushBenefitsCheck(transferred?.id ?? '')
  for (const status of ['processing', 'awaiting_outcome', 'validating_outcome']) sandbox.controls.push(id, status)
  sandbox.controls.failNext({ operation: 'POST /benefit-verification', code: 'not_found' })
  await until('all is delivered', () => sandbox.controls.deliveries().every(({ state }) => state === 'delivered'))
  const [delivery] = sandbox.controls.deliveries()
  const cases = [id, transferred?.id ?? ''].map((one) => `/_sandbox/pages/cases/${one}`)
  return [...Object.values(places), ...cases, `/_sandbox/pages/deliveries/${delivery?.id}`, `${places.requests}/1`]
}
