import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { browserPath, findBarriers, listenToComplaints, startBrowser } from '../../console/test/browser.ts'
import { needs } from '../../../test/support/needs.ts'
import { startSandbox } from './play.ts'

const curl = needs('curl')
const run = promisify(execFile)

describe.skipIf(browserPath === undefined)('the reference page in a browser', () => {
  it('can be read in a browser without scripts, on a desk and on a phone', async () => {
    const { sandbox } = await startSandbox()
    const { url } = await sandbox.listen()
    const chrome = await startBrowser()
    try {
      const context = await chrome.newContext({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } })
      const page = await context.newPage()
      const complaints: string[] = []
      const asked: string[] = []
      page.on('console', (message) => complaints.push(message.text()))
      page.on('request', (one) => asked.push(new URL(one.url()).pathname))
      await page.goto(`${url}/docs`)
      await page.getByRole('link', { name: 'POST /benefit-verification', exact: true }).click()
      const article = page.locator('article:target')
      expect(await article.getByRole('heading', { level: 3 }).textContent()).toBe('POST /benefit-verification')
      await article.locator('summary', { hasText: 'two_drugs' }).click()
      expect(await article.locator('details[open] > pre').textContent()).toContain('"first_name": "Testa"')
      await article.locator('summary', { hasText: '429' }).click()
      expect(await article.getByText('"code": "rate_limit_exceeded"').isVisible()).toBe(false)
      await article.locator('summary').getByText('rate_limit_exceeded', { exact: true }).click()
      expect(await article.getByText('"code": "rate_limit_exceeded"').isVisible()).toBe(true)
      const wide = await page.locator('nav').boundingBox()
      await page.setViewportSize({ width: 390, height: 800 })
      const narrow = await page.locator('nav').boundingBox()
      // The style holds: the contents stand beside the text, or below it where there is no room.
      expect(wide?.width).toBe(320)
      expect(narrow?.width).toBe(390)
      const body = await page.locator('body').boundingBox()
      expect(body?.width).toBeLessThanOrEqual(390)
      expect(complaints).toEqual([])
      expect(asked.filter((path) => path !== '/docs' && path !== '/favicon.ico')).toEqual([])
    } finally {
      await chrome.close()
    }
  })

  it('finds operations, properties, statuses and errors', () =>
    withPage(async (page) => {
      const field = page.getByRole('searchbox')
      const found = page.locator('#found a')
      await field.fill('is_resolution')
      expect(await found.first().textContent()).toContain('property Message.is_resolution')
      await found.first().click()
      await page.locator('[id="schema-Message.is_resolution"]:focus').waitFor()
      await field.fill('transfer cancel')
      expect(await found.first().textContent()).toMatch(/^operation POST .*\/prescription-transfer\/cancel/)
      await field.fill('validating_outcome')
      expect((await found.allTextContents()).join()).toContain('status prior-authorization.validating_outcome')
      await field.fill('resource_busy')
      expect(await found.first().textContent()).toContain('error')
      await field.fill('step_therapy_criteria_not_met')
      expect(await found.first().textContent()).toMatch(
        /^detail code step_therapy_criteria_not_met The plan requires step therapy/,
      )
      // The excerpt shows the word, however late in the text it stands.
      for (const word of ['medical_necessity', 'awaiting_outcome', 'retry']) {
        await field.fill(word)
        for (const text of await found.allTextContents()) expect(text.toLowerCase()).toContain(word)
      }
      // By keyboard: what stands in a folded table is unfolded.
      await field.fill('appeal_letter.title')
      await field.press('Tab')
      await page.keyboard.press('Enter')
      expect(await page.locator('[id="schema-AppealDetails.appeal_letter.title"]').isVisible()).toBe(true)
      await field.fill('nothing-has-this-name')
      expect(await page.locator('#found-count').textContent()).toBe('0 found')
      expect(await page.locator('#found').isVisible()).toBe(false)
    }))

  it('calls the sandbox with its own token, and shows the answer', () =>
    withPage(async (page) => {
      const status = operationOf(page, 'getStatus')
      await openCall(status)
      await status.getByRole('button', { name: 'Send' }).click()
      await status.getByText('Answer: 200').waitFor()
      expect(await status.locator('.answer').textContent()).toContain('"status": "success"')

      const creation = operationOf(page, 'postPriorAuthorization')
      await openCall(creation)
      await creation.locator('[name=example]').selectOption('by_ndc')
      await creation.getByRole('button', { name: 'Send' }).click()
      await creation.getByText('Answer: 200').waitFor()

      // The created id is filled in where a call takes an id.
      const feedback = operationOf(page, 'postPriorAuthorizationFeedback')
      await openCall(feedback)
      await feedback.getByRole('button', { name: 'Send' }).click()
      await feedback.getByText('Answer: 201').waitFor()

      await creation.getByLabel('Body').fill('{"patient": 1}')
      await creation.getByRole('button', { name: 'Send' }).click()
      await creation.getByText('Answer: 422').waitFor()
      expect(await creation.locator('.answer').textContent()).toContain('"loc"')
    }))

  it.skipIf(curl === undefined)('copies curl commands that work as they are', () =>
    withPage(async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const copied = async (id: string, edit?: (body: string) => string) => {
        const operation = operationOf(page, id)
        await openCall(operation)
        const body = operation.getByLabel('Body')
        if (edit !== undefined) await body.fill(edit(await body.inputValue()))
        await operation.getByRole('button', { name: 'Copy' }).click()
        await operation.getByText('Copied').waitFor()
        const command = await page.evaluate('navigator.clipboard.readText()')
        const { stdout } = await run('bash', ['-c', String(command)])
        return JSON.parse(stdout)
      }
      expect(await copied('getStatus')).toMatchObject({ status: 'success' })
      const quoted = (body: string) => body.replace('once a week', "at the patient's wish")
      const { data } = await copied('postPriorAuthorization', quoted)
      expect(data.id).toMatch(/^pa_req_/)
      await operationOf(page, 'getPriorAuthorizationById').getByLabel('id', { exact: true }).evaluate(fill, data.id)
      const read = await copied('getPriorAuthorizationById')
      expect(read.data.prescription.directions).toBe("at the patient's wish")
      await operationOf(page, 'postPriorAuthorizationPrescriptionTransferCancel')
        .getByLabel('id', { exact: true })
        .evaluate(fill, 'pa_req_none')
      const { detail } = await copied('postPriorAuthorizationPrescriptionTransferCancel')
      expect(detail).toBe('Prior authorization request does not exist.')
    }),
  )

  it.skipIf(curl === undefined)('sends the example of a PA as often as is wished, and copies it after that', () =>
    withPage(async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const creation = operationOf(page, 'postPriorAuthorization')
      await openCall(creation)
      const ids = new Set<string>()
      for (let sent = 0; sent < 2; sent++) {
        const answered = page.waitForResponse((one) => one.url().endsWith('/prior-authorization'))
        await creation.getByRole('button', { name: 'Send' }).click()
        ids.add((await (await answered).json()).data?.id)
      }
      await creation.getByRole('button', { name: 'Copy' }).click()
      await creation.getByText('Copied').waitFor()
      const { stdout } = await run('bash', ['-c', String(await page.evaluate('navigator.clipboard.readText()'))])
      ids.add(JSON.parse(stdout).data?.id)
      expect([...ids]).toEqual(Array(3).fill(expect.stringMatching(/^pa_req_/)))
    }),
  )

  it.skipIf(curl === undefined)('copies curl commands that work again, as they were copied', () =>
    withPage(async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      const said: object[] = []
      const calls = page.locator('details.call:not([data-path*="{id}"])')
      for (const call of await calls.all()) {
        await call.locator('> summary').click()
        const path = await call.getAttribute('data-path')
        const examples = await call.locator('[name=example] option').allInnerTexts()
        for (const example of examples.length === 0 ? [undefined] : examples) {
          if (example !== undefined) await call.locator('[name=example]').selectOption(example)
          await call.getByRole('button', { name: 'Copy' }).click()
          await call.getByText('Copied').waitFor()
          const command = String(await page.evaluate('navigator.clipboard.readText()'))
          for (const time of [1, 2]) {
            const { stdout } = await run('bash', ['-c', `${command} -w '%{http_code}'`])
            said.push({ path, example, time, status: stdout.slice(-3) })
          }
        }
      }
      expect(said.length).toBeGreaterThan(15)
      expect(said.filter((one) => !('status' in one && one.status === '200'))).toEqual([])
    }),
  )

  it.skipIf(curl === undefined)('shows, without scripts, commands that a shell completes and that work again', () =>
    withPage(async (page) => {
      const { stdout: token } = await run('curl', ['-sS', '-X', 'POST', new URL('/_sandbox/tokens', page.url()).href])
      const env = { ...process.env, SANDBOX: new URL(page.url()).origin, TOKEN: JSON.parse(token).data.token }
      for (const id of ['postPriorAuthorization', 'postProviderAuthorize']) {
        const command = await operationOf(page, id).locator('code.curl').textContent()
        for (let time = 1; time <= 2; time += 1) {
          const { stdout } = await run('bash', ['-c', `${command} -w '%{http_code}'`], { env })
          expect({ id, time, stdout }).toEqual({ id, time, stdout: expect.stringMatching(/200$/) })
        }
      }
    }),
  )

  it('puts the content first on a narrow screen, and fits it', () =>
    withPage(async (page) => {
      await page.setViewportSize({ width: 360, height: 740 })
      const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? Infinity
      expect(await top('h1')).toBeLessThan(200)
      expect(await top('#search')).toBeLessThan(500)
      expect(await top('nav')).toBeGreaterThan(await top('#errors'))
      const width = () => page.evaluate('document.documentElement.scrollWidth')
      expect(await width()).toBeLessThanOrEqual(360)
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
      expect(await width()).toBeLessThanOrEqual(360)
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = false })")
      await page.getByRole('link', { name: 'Contents', exact: true }).click()
      await page.locator('nav:target').waitFor()
    }))

  it.each(['light', 'dark'] as const)('has no barrier that axe knows, %s', (scheme) =>
    withPage(async (page) => {
      await page.emulateMedia({ colorScheme: scheme })
      const creation = operationOf(page, 'postPriorAuthorization')
      await openCall(creation)
      await creation.getByRole('button', { name: 'Send' }).click()
      await creation.getByText('Answer: 200').waitFor()
      await page.getByText('Moves, as a table').first().click()
      await page.getByRole('searchbox').fill('status')
      expect(await findBarriers(page)).toEqual([])
    }),
  )
})

/** The page of a new sandbox in a browser, about which the browser has no complaint. */
async function withPage(use: (page: Page) => Promise<void>): Promise<void> {
  const { sandbox } = await startSandbox()
  const { url } = await sandbox.listen()
  const chrome = await startBrowser()
  try {
    const page = await chrome.newPage({ viewport: { width: 1280, height: 900 } })
    const complaints = listenToComplaints(page)
    await page.goto(`${url}/docs`)
    await use(page)
    // A refused request is reported as well; those are asked for.
    expect(complaints.filter((one) => !one.startsWith('Failed to load resource'))).toEqual([])
  } finally {
    await chrome.close()
  }
}

const operationOf = (page: Page, id: string) => page.locator(`article#${id}`)

async function openCall(operation: ReturnType<typeof operationOf>): Promise<void> {
  await operation.locator('details.call > summary').click()
}

/** Fills in a field that may be folded. */
function fill(field: Element, value: string): void {
  Object.assign(field, { value })
}
