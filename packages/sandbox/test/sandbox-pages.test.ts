import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type Sandbox } from '../src/sandbox.ts'
import { browserPath, findBarriers, findMisfits, findTouching, goOn } from '../../console/test/browser.ts'
import { needs } from '../../../test/support/needs.ts'
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
  verify: '/_sandbox/pages/verify',
  organizations: '/_sandbox/pages/organizations',
  limits: '/_sandbox/pages/limits',
  failures: '/_sandbox/pages/failures',
  chaos: '/_sandbox/pages/chaos',
  clock: '/_sandbox/pages/clock',
  snapshots: '/_sandbox/pages/snapshots',
  reset: '/_sandbox/pages/reset',
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

  it('take a PA from an example to its denial, and show and repeat the delivery that told of it', async () => {
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
    await page.getByText('The case ended as completed: nothing follows.').waitFor()
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

  it('tell the story of a PA, and move its transfer and its benefits check', async () => {
    const id = await createExample(approved)
    for (const status of ['processing', 'awaiting_outcome', 'completed']) await press(`Move to ${status}`)
    await page.getByText('transfer: waiting').waitFor()
    await send('Move transfer to attempted')
    await page
      .getByRole('form', { name: 'Move transfer to error' })
      .getByLabel('Error code')
      .selectOption('transfer_timed_out')
    await press('Move transfer to error')
    await page.getByText('transfer: attempted → error').waitFor()
    await page.getByRole('form', { name: 'Move benefits check to completed' }).getByRole('button').click()
    await page.getByText('benefits check: waiting → completed').waitFor()
    await page.getByText('emitted prior_authorization.real_time_benefits_check_change').waitFor()
    const [pa] = sandbox.truth().prior_authorizations
    expect(pa).toMatchObject({ id, prescription_transfer: { status: 'error', error_code: 'transfer_timed_out' } })
  })

  it('take a PA straight to a denial, by every status on the way', async () => {
    await createExample(approved)
    await page
      .getByRole('form', { name: 'Take all steps' })
      .getByLabel('Outcome')
      .selectOption('Denied: step therapy criteria not met')
    await press('Take all steps')
    await expect.poll(() => tile('Status').innerText()).toBe('completed: Denied, step_therapy_criteria_not_met')
    for (const status of ['processing', 'awaiting_outcome', 'completed'])
      await page.locator('ol.story strong', { hasText: new RegExp(`^${status}$`) }).waitFor()
    expect(await page.getByText('Take all steps').count()).toBe(0)
  })

  it('keep a choice in the form while the case goes on, and show the state of the case after a step that came too late', async () => {
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
    await page.getByText('The case ended as completed: nothing follows.').waitFor()
  })

  it('let a user review a PA of a non-delegated organization, and only while the PA awaits review', async () => {
    sandbox.controls.patchOrganization('org_b', { workflow: 'non_delegated', manualReview: true })
    await go('create')
    const form = page.getByRole('form', { name: 'A prior authorization', exact: true })
    await form.getByLabel('Drug').fill('Samplomab')
    await form.getByLabel('Outcome', { exact: true }).selectOption('Denied')
    await form.getByLabel('Organization').selectOption('org_b')
    await form.getByRole('button').click()
    await heading(/^pa_req_/)
    await send('Move to processing')
    expect(await page.getByRole('button', { name: /^Review:/ }).count()).toBe(0)
    await press('Move to awaiting_review')
    await press(/^Review:/)
    await expect.poll(() => tile('Status').innerText()).toBe('awaiting_outcome')
    expect(sandbox.truth().prior_authorizations[0]).toMatchObject({ prescription: { drug_name: 'Samplomab' } })
  })

  it('end a BV with an error that was chosen', async () => {
    await go('create')
    await press('Create: A benefit verification of two drugs')
    await heading(/^bv_/)
    const form = page.getByRole('form', { name: 'Move to failed' })
    await form.getByLabel('Error').selectOption('Document Quality Error')
    await form.getByRole('button').click()
    await expect.poll(() => tile('Status').innerText()).toBe('failed')
    expect(sandbox.truth().benefit_verifications[0]).toMatchObject({ error: { code: 'Document Quality Error' } })
  })

  it('keep a request that was refused as it was typed, and say why it is no JSON', async () => {
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

  it('give a clinical qualification the result that was chosen, and another one later', async () => {
    await go('create')
    await press('Create: A clinical qualification')
    await heading(/^cq_/)
    for (const result of ['unqualified', 'unknown']) {
      const form = page.getByRole('form', { name: 'Move to evaluated' })
      await form.getByLabel('Result of every drug').selectOption(result)
      await goOn(page, () => form.getByRole('button').click())
      await expect.poll(() => tile('Status').innerText()).toBe('evaluated')
      expect(sandbox.truth().clinical_qualifications[0]).toMatchObject({ results: [{ status: result }] })
    }
  })

  it.each([
    ['completed', 'no PA', { status: 'completed', prior_authorizations: [] }],
    [
      'completed',
      'a PA: approved',
      {
        status: 'completed',
        prior_authorizations: [
          { status: 'approved', drug: { name: 'Examplumab' }, authorization_start_date: expect.any(String) },
        ],
      },
    ],
    ['failed', 'payer_closed', { status: 'failed', failure_reason: 'payer_closed' }],
  ])('end a check of the status of PAs as %s, with the result that was chosen: %s', async (status, result, shown) => {
    await go('create')
    await press(/^Create: A PA status check/)
    await heading(/^pa_status_/)
    const form = page.getByRole('form', { name: `Move to ${status}` })
    if (status === 'failed') await form.getByLabel('Reason').fill(result)
    else await form.getByLabel('Finding').selectOption(result)
    await form.getByRole('button').click()
    await expect.poll(() => tile('Status').innerText()).toBe(status)
    expect(sandbox.truth().pa_statuses[0]).toMatchObject(shown)
  })

  it('add a message with a letter, and an activity, to a PA', async () => {
    await createExample(denied)
    await page.getByText('Add a message', { exact: true }).first().click()
    await page.getByLabel('Content').fill('Please see the letter.')
    await page.getByLabel('Name of an attached file').fill('letter.pdf')
    await send('Add the message')
    await page.getByText('emitted prior_authorization.message').waitFor()
    await page.getByText('Add to the activity log').click()
    await page.getByRole('combobox', { name: 'Activity' }).selectOption('follow_up_call')
    await page.getByLabel('Call notes').fill('They call back.')
    await send('Add the activity')
    await page.getByText('emitted prior_authorization.activity_log_updated').waitFor()
    await page.getByText('As GET returns it').click()
    const shown = JSON.parse(await page.locator('#as-json pre').innerText())
    expect(shown.message_thread.messages).toMatchObject([
      { content: 'Please see the letter.', attachments: [{ file_name: 'letter.pdf' }] },
    ])
    const letter = await fetch(shown.message_thread.messages[0].attachments[0].url)
    expect(letter.status).toBe(200)
    expect(shown.activity_log).toMatchObject([{ type: 'follow_up_call', details: { notes: 'They call back.' } }])
  })

  it('keep a list up to date, unless the tab is hidden or the user stops that', async () => {
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

  it('stop the clock, advance by a week, and step to the next transition', async () => {
    await createExample(denied)
    await menu('Clock')
    await expect.poll(() => tile('Speed').innerText()).toBe('paused')
    expect(await page.getByRole('button', { name: 'Pause time' }).count()).toBe(0)
    const before = sandbox.controls.readClock().now
    await send('Step to the next transition')
    expect(Date.parse(sandbox.controls.readClock().now)).toBeGreaterThan(Date.parse(before))
    const [pa] = sandbox.truth().prior_authorizations
    await page.getByText(`One transition ran: ${pa?.id} became processing.`).waitFor()
    await press('Advance by one week')
    await expect.poll(() => tile('Next transition').innerText()).toBe('none')
    // Awaiting the outcome, and completed.
    await page.getByText('Time advanced by one week: 2 transitions ran.').waitFor()
    await press('Advance by one day')
    await page.getByText('Time advanced by one day: no transitions ran.').waitFor()
    await press('Step to the next transition')
    await page.getByText('No transition is scheduled.').waitFor()
    await page.getByLabel('Speed factor').fill('500')
    await press('Resume at this speed')
    await expect.poll(() => tile('Speed').innerText()).toBe('500 times')
    await press('Pause time')
    await expect.poll(() => tile('Speed').innerText()).toBe('paused')
  })

  it('set chaos, by single chances and by a preset, and show the delivery that it dropped', async () => {
    await go('chaos')
    await page.getByLabel('drop').fill('1')
    await send('Save')
    expect(sandbox.controls.readChaos()).toMatchObject({ sending: { drop: 1, delay: 0 }, answering: { timeout: 0 } })
    await createExample(denied)
    await page.getByRole('cell', { name: 'dropped by chaos' }).waitFor()
    expect(receiver.received).toEqual([])
    await menu('Chaos')
    await page.getByText('Now: chances of your own').waitFor()
    await send('Preset light')
    await page.getByText('Now: light').waitFor()
    expect(sandbox.controls.readChaos().answering.timeout).toBe(0.01)
    await send('Preset off')
    await menu('Overview')
    await expect.poll(() => tile('Chaos').innerText()).toBe('off')
  })

  it('plan a failure, show that it hits, and that it is spent then', async () => {
    await go('failures')
    await page.getByLabel('Error of POST /prior-authorization').selectOption('unsupported_drug')
    await press('Add failure')
    await page.getByRole('cell', { name: 'unsupported_drug' }).waitFor()
    await go('create')
    await press(`Create: ${denied}`)
    await heading(/^Refused with 4\d\d$/)
    expect(await page.getByRole('region', { name: 'Answer' }).innerText()).toContain('"unsupported_drug"')
    await menu('Planned failures')
    await page.getByText('No planned failures.').waitFor()
    await createExample(denied)
    // The browser says of the refusal that it was one.
    expect(complaints.splice(0)).toEqual([expect.stringMatching(/status of 4\d\d/)])
  })

  it('change an organization, add a webhook to it, and make a token that works', async () => {
    await go('organizations')
    await page.getByRole('form', { name: 'Settings of org_b' }).getByLabel('Workflow').selectOption('non_delegated')
    await send('Save the settings of org_b')
    await page.getByRole('region', { name: 'org_b' }).getByText('Add or replace a webhook').click()
    const form = page.getByRole('form', { name: 'Webhook of org_b' })
    await form.getByLabel('Goes to').fill(receiver.url)
    await form.getByLabel('Secret').fill(secret)
    await form.getByLabel('prior_authorization.activity_log_updated').check()
    await form.getByRole('button').click()
    await page.getByRole('cell', { name: receiver.url }).nth(1).waitFor()
    expect(sandbox.controls.readOrganization('org_b')).toMatchObject({
      workflow: 'non_delegated',
      apiAccess: true,
      webhooks: [{ name: 'default', url: receiver.url, events: ['prior_authorization.activity_log_updated'] }],
    })
    await press('Create an API token of org_b')
    const token = await page.locator('code.token').innerText()
    const ask = () => fetch(`${url}/status`, { headers: { authorization: `Bearer ${token}` } })
    expect((await ask()).status).toBe(200)
    await send('Revoke this token')
    expect((await ask()).status).toBe(401)
  })

  it('change a quota, show the window that counts, and begin it anew', async () => {
    await createExample(denied)
    await go('limits')
    await page.getByRole('cell', { name: 'pa-create-24h' }).waitFor()
    await page.getByRole('form', { name: 'Quotas of org_a' }).getByLabel('pa-create-24h').fill('1')
    await send('Save the quotas of org_a')
    expect(sandbox.controls.readQuotas('org_a')['pa-create-24h']).toBe(1)
    await send('Reset the windows: org_a')
    await page.getByText('No open window').first().waitFor()
    await createExample(denied)
  })

  it('play a scenario, and lead to its cases', async () => {
    await go('scenarios')
    await press('Run: denied-then-appealed')
    await page.getByText('The scenario ended as expected.').waitFor()
    const row = page.getByRole('row', { name: /push denied to processing/ })
    expect(await row.innerText()).toMatch(/denied\s+created → processing\s+prior_authorization.*\s+2: 200/s)
    expect(await findBarriers(page)).toEqual([])
    await page
      .getByRole('link', { name: /^pa_req_/ })
      .first()
      .click()
    await heading(/^pa_req_/)
  })

  it('forget everything after a second confirmation', async () => {
    const id = await createExample(denied)
    await menu('Reset')
    await press('Reset')
    expect(sandbox.truth().prior_authorizations).toHaveLength(1)
    await page.getByLabel('Yes, delete all of it').check()
    await press('Reset')
    await page.getByText('The sandbox was reset').waitFor()
    expect(sandbox.truth().prior_authorizations).toEqual([])
    await sandbox.settled()
    await page.goto(`${url}/_sandbox/pages/cases/${id}`)
    await page.getByText(`There is no case ${id}`).waitFor()
    await page.getByText('Code: unknown_case').waitFor()
    await goOn(page, () => page.getByRole('link', { name: 'Back to Cases' }).click())
    await heading('Cases')
    for (const [address, code, back] of [
      [`${places.deliveries}/99`, 'unknown_delivery', 'Deliveries'],
      [`${places.requests}/99`, 'unknown_request', 'Requests'],
      ['/_sandbox/pages/nowhere', 'not_found', 'Overview'],
    ] as const) {
      await page.goto(`${url}${address}`)
      await page.getByText(`Code: ${code}`).waitFor()
      await page.getByRole('link', { name: `Back to ${back}` }).waitFor()
    }
    expect(complaints.splice(0)).toEqual([404, 404, 404, 404].map((status) => expect.stringContaining(String(status))))
  })

  it.skipIf(needs('curl') === undefined)('copy a request as a curl command that a shell sends', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await fetch(`${url}/benefit-verification`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await sandbox.issueToken()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ note: 'it\'s $HOME `x` "y" \\n é' }),
    })
    await page.goto(`${url}${places.requests}/1`)
    await page.getByText('The log keeps no credentials: set TOKEN to an API token.').waitFor()
    await press('Copy')
    await page.getByText('Copied', { exact: true }).waitFor()
    const copied: string = await page.evaluate('navigator.clipboard.readText()')
    const env = { PATH: process.env.PATH, TOKEN: await sandbox.issueToken() }
    await promisify(execFile)('sh', ['-c', copied], { env })
    const [again, first] = sandbox.controls.requestPage({ path: '/benefit-verification' }).requests
    expect(again).toMatchObject({ method: 'POST', status: 422, body: first?.body, answer: first?.answer })
    expect(again?.id).toBeGreaterThan(first?.id ?? 0)
  })

  it('save the whole state by a name, put it back, and say of a name that is taken', async () => {
    const id = await createExample(denied)
    await menu('Snapshots')
    await page.getByLabel('Name', { exact: true }).fill('one-case')
    await send('Save')
    await page.getByText('Saved one-case.').waitFor()
    sandbox.controls.reset()
    await send('Load one-case')
    await page.getByText('Loaded one-case.').waitFor()
    expect(sandbox.truth().prior_authorizations.map((one) => one.id)).toEqual([id])
    await page.getByLabel('Name', { exact: true }).fill('one-case')
    await send('Save')
    await page.getByText('There is a snapshot one-case already').waitFor()
    await menu('Snapshots')
    await send('Remove one-case')
    await page.getByText('No snapshots yet.').waitFor()
    expect(complaints.splice(0)).toEqual([expect.stringContaining('409')])
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
    await plain.goto(`${url}${places.failures}`)
    await plain.getByLabel('Endpoint', { exact: true }).selectOption('POST /benefit-verification/{id}/cancel')
    await goOn(plain, () => plain.getByRole('button', { name: 'Show errors' }).click())
    const codes = plain.getByLabel('Error of POST /benefit-verification/{id}/cancel')
    expect(await codes.locator('option').count()).toBe(7)
    await codes.selectOption('resource_busy')
    await goOn(plain, () => plain.getByRole('button', { name: 'Add failure' }).click())
    await plain.getByRole('cell', { name: 'resource_busy' }).waitFor()
    // The endpoint stays chosen.
    expect(await codes.count()).toBe(1)
    await context.close()
  })

  it.each(['light', 'dark'] as const)('have no barrier that axe knows, on any page, %s', async (colorScheme) => {
    const addresses = await everyAddress()
    await page.emulateMedia({ colorScheme })
    for (const address of addresses) {
      await page.goto(`${url}${address}`)
      expect({ address, barriers: await findBarriers(page) }).toEqual({ address, barriers: [] })
    }
  })

  it('fit a screen of 360 pixels: rows are cards that name each cell and cut none, and actions fit a thumb', async () => {
    const addresses = await everyAddress()
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of addresses) {
      await page.goto(`${url}${address}`)
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
      expect({ address, misfits: await findMisfits(page) }).toEqual({ address, misfits: [] })
    }
    // A document, not a form: only its width counts.
    await page.goto(`${url}/docs`)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
    // On a desk, nothing of these two scrolls sideways at all.
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const place of ['chaos', 'deliveries'] as const) {
      await go(place)
      const wider = await page
        .locator('body *')
        .evaluateAll((all) =>
          all
            .filter((each) => each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)
            .map((each) => `${each.tagName} ${each.className} ${each.clientWidth} ${each.scrollWidth}`),
        )
      expect({ place, wider }).toEqual({ place, wider: [] })
    }
  })

  it.each([360, 1280])('keep titles, buttons and tables apart on a screen of %i pixels', async (width) => {
    const addresses = await everyAddress()
    await page.setViewportSize({ width, height: 900 })
    const touching: Record<string, string[]> = {}
    for (const address of addresses) {
      await page.goto(`${url}${address}`)
      const found = await findTouching(page)
      if (found.length > 0) touching[address] = found
    }
    expect(touching).toEqual({})
  })

  it('show the events of deliveries beside their label on a screen of 360 pixels, broken after a dot or an underscore alone', async () => {
    const addresses = await everyAddress()
    await page.setViewportSize({ width: 360, height: 740 })
    for (const address of addresses.filter((one) => /deliveries$|cases\/pa_req|_sandbox\/$/.test(one))) {
      await page.goto(`${url}${address}`)
      const pieces = await page.locator('td code.event').evaluateAll((events) =>
        events.flatMap((event) => {
          const texts = document.createTreeWalker(event, NodeFilter.SHOW_TEXT)
          const found: { text: string | null; lines: number; isBeside: boolean }[] = []
          const label = event.closest('td')?.getBoundingClientRect().left ?? 0
          while (texts.nextNode()) {
            const range = document.createRange()
            range.selectNodeContents(texts.currentNode)
            const { left } = range.getBoundingClientRect()
            found.push({
              text: texts.currentNode.textContent,
              lines: range.getClientRects().length,
              isBeside: left > label + 100,
            })
          }
          return found
        }),
      )
      expect({ address, count: pieces.length > 0 }).toEqual({ address, count: true })
      for (const { text, ...piece } of pieces) {
        expect({ address, text, ...piece }).toEqual({ address, text, lines: 1, isBeside: true })
        expect(text).toMatch(/^[^._]+[._]?$/)
      }
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
  const longest = new URLSearchParams({ operation: 'POST /prior-authorization/{id}/prescription-transfer/cancel' })
  return [
    ...Object.values(places),
    ...cases,
    `/_sandbox/pages/deliveries/${delivery?.id}`,
    `${places.requests}/1`,
    `${places.failures}?${longest.toString()}`,
  ]
}
