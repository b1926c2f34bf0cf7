import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { fileURLToPath } from 'node:url'
import { PawlError } from '../../../src/index.ts'
import { createApi } from '../../client/src/api/client.ts'
import { createMemoryEhr } from '../../ehr/src/memory/memory-ehr.ts'
import { createMemoryPharmacy } from '../../pharmacy/src/memory/memory-pharmacy.ts'
import type { RequestDraft } from '../../client/src/schemas/request-draft.ts'
import { createSandbox } from '../../sandbox/src/sandbox.ts'
import { eventTypes } from '../../sandbox/src/webhooks/settings.ts'
import { guardPort } from '../../../src/systems/systems.ts'
import { aPriorAuthorizationRequest } from '../../testing/src/request-builders.ts'
import { startReceiver } from '../../sandbox/test/start-receiver.ts'
import { captureLog } from '../../../test/support/log-capture.ts'
import { startLocalGateway, type LocalGateway, type TestParts } from '../../../test/support/start-local-gateway.ts'
import { until } from '../../../test/support/until.ts'
import { deliver, webhookSecret } from '../../../test/support/webhook.ts'
import { browserPath, goOn, startBrowser } from './browser.ts'

/** A user has the chart open. */
class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

const images = fileURLToPath(new URL('../../../docs/images/', import.meta.url))

const complete = aPriorAuthorizationRequest()

/** Every fourth resource finds the chart locked. */
function createLockedChart() {
  const ehr = createMemoryEhr()
  const seen: string[] = []
  return {
    open(run: Parameters<typeof ehr.open>[0]) {
      if (!seen.includes(run.resourceId)) seen.push(run.resourceId)
      const isLocked = seen.indexOf(run.resourceId) % 4 === 3
      return guardPort(ehr.open(run), async (call) => {
        if (isLocked) throw new ChartLocked('The chart is open elsewhere.')
        return call()
      })
    },
    /** A prescription whose prescriber has no NPI. */
    draft: (): Promise<RequestDraft> =>
      Promise.resolve({
        isComplete: false,
        request: { ...complete, provider: { ...complete.provider, npi: undefined } },
        missing: [
          { field: 'provider.npi', from: 'Practitioner.identifier', why: 'absent', says: 'the chart has none' },
        ],
        leftOut: [],
      }),
  }
}

/** A real gateway and a sandbox as the service, with invented people: some of it parked. */
async function setScene(ehr: NonNullable<TestParts['ehr']> = createLockedChart(), env: Record<string, string> = {}) {
  const sandbox = createSandbox({ seed: 7, speed: 30_000, organizations: [{ id: 'org_demo' }] })
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const gateway = await startLocalGateway(
    { ehr, pharmacy: createMemoryPharmacy(), log: captureLog().log },
    { API_BASE_URL: url, API_TOKEN: token, ...env },
  )
  sandbox.controls.putWebhook(
    { name: 'pawl', url: `${gateway.url}/webhooks`, secret: webhookSecret, events: eventTypes },
    'org_demo',
  )
  const api = createApi({ baseUrl: url, token })
  for (let made = 0; made < 24; made += 1) await api.createPriorAuthorization(aPriorAuthorizationRequest())
  await sandbox.settled()
  await deliver(gateway.url, 'no envelope')
  await until('all was tried', async () => {
    const { due, waiting } = await gateway.ledger.counts()
    return due <= waiting
  })
  return {
    gateway,
    async close() {
      await sandbox.close()
      await gateway.destroy()
    },
  }
}

/** A sandbox with cases in several statuses, whose deliveries one receiver takes and another one does not. */
async function setSandboxScene() {
  const receiver = await startReceiver()
  const secret = webhookSecret
  const webhooks = [
    { name: 'pawl', url: receiver.url, secret },
    { name: 'away', url: 'http://127.0.0.1:9/webhooks', secret },
  ]
  const sandbox = createSandbox({ seed: 7, speed: 0, organizations: [{ id: 'org_demo', webhooks }] })
  const { url } = await sandbox.listen()
  for (const example of ['approved', 'denied', 'not-submitted', 'verification', 'qualification', 'open'])
    await fetch(`${url}/_sandbox/pages/create/example`, { method: 'POST', body: new URLSearchParams({ example }) })
  const [approved, denied] = sandbox.truth().prior_authorizations
  for (const status of ['processing', 'awaiting_outcome', 'completed']) sandbox.controls.push(denied?.id ?? '', status)
  for (const status of ['processing', 'awaiting_outcome']) {
    sandbox.controls.setClock({ advanceMs: 60_000 })
    sandbox.controls.push(approved?.id ?? '', status)
  }
  // The service answers no request without a token.
  await fetch(`${url}/prior-authorization/${approved?.id ?? ''}`)
  const [refused] = sandbox.controls.requestPage({ limit: 1 }).requests
  await until('all was sent', () => sandbox.controls.deliveries().every(({ attempts }) => attempts.length > 0))
  return {
    shots: {
      'sandbox-overview': `${url}/_sandbox/`,
      'sandbox-case': `${url}/_sandbox/pages/cases/${approved?.id ?? ''}`,
      'sandbox-delivery': `${url}/_sandbox/pages/deliveries/1`,
      'sandbox-edit': `${url}/_sandbox/pages/create/edit?example=approved`,
      'sandbox-request': `${url}/_sandbox/pages/requests/${refused?.id ?? ''}`,
      ...Object.fromEntries(sandboxPages.map((name) => [`sandbox-${name}`, `${url}/_sandbox/pages/${name}`])),
    },
    async close() {
      await sandbox.close()
      await receiver.close()
    },
  }
}

const sandboxPages = ['cases', 'create', 'scenarios', 'deliveries', 'requests', 'controls']

/** The chart's server is away. */
class ChartAway extends PawlError {
  readonly code = 'ehr_write_failed'
  override readonly isOutage = true
  override readonly retry = 'backoff'
}

/** The same in an outage: the chart answers nothing, its work waits, and people are told. */
async function setOutage() {
  const ehr = createMemoryEhr()
  const away = {
    open: (run: Parameters<typeof ehr.open>[0]) =>
      guardPort(ehr.open(run), () =>
        Promise.reject(
          new ChartAway('The chart did not answer: HTTP 503, transient. pawl retries it while it has attempts left.'),
        ),
      ),
  }
  const people = await startReceiver()
  const scene = await setScene(away, { ALERT_URL: people.url })
  return {
    ...scene,
    async close() {
      await scene.close()
      await people.close()
    },
  }
}

/** Pages of the console that come only after something was sent; the retry is the last, as it changes the others. */
const acts: Readonly<Record<string, (page: Page, story: string) => Promise<unknown>>> = {
  async reveal(page, story) {
    await page.goto(story)
    await page.getByText('What it says of the patient').click()
    await page.getByLabel('Why it must be seen').fill('The clinic asks which drug it is')
    await goOn(page, () => page.getByRole('button', { name: 'Show the content' }).click())
  },
  async found(page) {
    await page.getByRole('searchbox').fill('patient-1')
    await goOn(page, () => page.getByRole('button', { name: 'Search' }).click())
  },
  async draft(page) {
    await page.goto('/start')
    await page.getByLabel('Id of the MedicationRequest').fill('order-1')
    await goOn(page, () => page.getByRole('button', { name: 'Read the chart' }).click())
  },
  async retried(page) {
    await page.goto('/parked')
    await goOn(page, () => page.getByRole('button', { name: /^Retry all/ }).click())
    await page.getByText('made due now').waitFor()
  },
}

/** A console that asks who comes. */
function setLogin(): Promise<LocalGateway> {
  return startLocalGateway({ handlers: [], log: captureLog().log }, { ADMIN_PASSWORD: 'a password of all for tests' })
}

if (browserPath === undefined) process.exit(1)
const all = fileURLToPath(new URL('../../../screenshots/', import.meta.url))
for (const folder of [images, all]) await mkdir(folder, { recursive: true })
// Those of the sandbox alone, which take no gateway: `npm run screenshots -- sandbox`.
const isSandboxAlone = process.argv.includes('sandbox')
const isConsoleAlone = process.argv.includes('console')
const consoleScene = isSandboxAlone ? undefined : await setScene()
const outage = isSandboxAlone ? undefined : await setOutage()
const login = isSandboxAlone ? undefined : await setLogin()
const sandbox = isConsoleAlone ? undefined : await setSandboxScene()
const browser = await startBrowser()
try {
  const [parked] = (await consoleScene?.gateway.ledger.work({ state: 'parked' }, 1))?.rows ?? []
  const adminUrl = consoleScene?.gateway.adminUrl
  const story = `/resources/${parked?.resourceId ?? ''}`
  const consolePages = {
    overview: '/',
    alerts: '/alerts',
    parked: '/parked',
    queue: '/work-queue',
    resources: '/resources',
    story,
    events: '/events',
    runs: '/runs',
    rejections: '/rejections',
    handlers: '/handlers',
    pause: '/handlers/pause?kind=system&name=ehr',
    report: '/report',
    settings: '/settings',
    history: '/history',
    start: '/start',
    ask: '/ask',
    audit: '/audit',
    erase: '/erase',
    runbook: '/runbook',
    document: '/docs/operating',
    help: '/help',
  }
  const shots: Record<string, string> = {
    ...sandbox?.shots,
    ...(adminUrl !== undefined &&
      Object.fromEntries(
        Object.entries(consolePages).map(([name, path]) => [`console-${name}`, `${adminUrl}${path}`]),
      )),
    ...(outage !== undefined && { 'console-outage': `${outage.gateway.adminUrl}/` }),
    ...(login !== undefined && { 'console-login': `${login.adminUrl}/login` }),
  }
  /** Those that the documents show. */
  const shown = ['sandbox-overview', 'sandbox-case', 'console-outage', 'console-parked', 'console-story']
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 360]) {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
      for (const [name, address] of Object.entries(shots)) {
        await page.goto(address)
        // The overview of the console is live once it was shown twice.
        if (address.endsWith('/') && name.startsWith('console')) await page.getByText('Live', { exact: true }).waitFor()
        await sleep(300)
        await page.screenshot({ path: `${all}${name}-${width}-${colorScheme}.png`, fullPage: true })
        if (width === 1280 && shown.includes(name))
          await page.screenshot({ path: `${images}${name}-${colorScheme}.png` })
      }
      await page.close()
      if (adminUrl === undefined) continue
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, baseURL: adminUrl })
      const acting = await context.newPage()
      for (const [name, act] of Object.entries(acts)) {
        await act(acting, story)
        await sleep(300)
        await acting.screenshot({ path: `${all}console-${name}-${width}-${colorScheme}.png`, fullPage: true })
      }
      await context.close()
    }
} finally {
  await browser.close()
  await sandbox?.close()
  await outage?.close()
  await login?.destroy()
  await consoleScene?.close()
}
