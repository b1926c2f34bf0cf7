import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PawlError } from '#pawl'
import { createApi } from '../../src/service/client/client.ts'
import { priorAuthorizationRequest } from '../../src/cli/dev/dev-requests.ts'
import { createMemoryEhr } from '../../src/connectors/ehr/memory/memory-ehr.ts'
import { createMemoryPharmacy } from '../../src/connectors/pharmacy/memory/memory-pharmacy.ts'
import { createSandbox } from '../../src/sandbox/sandbox.ts'
import { eventTypes } from '../../src/sandbox/webhooks/settings.ts'
import { guardPort } from '../../src/systems/guard-port.ts'
import { startReceiver } from '../sandbox/receiver.ts'
import { captureLog } from '../support/log-capture.ts'
import { startTestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, webhookSecret } from '../support/webhook.ts'
import { browserPath, startBrowser } from './browser.ts'

/** Somebody has the chart open. */
class ChartLocked extends PawlError {
  readonly code = 'chart_locked'
}

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))

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
  }
}

/** A real gateway and a sandbox as the service, with invented people: some of it parked. */
async function setScene() {
  const sandbox = createSandbox({ seed: 7, speed: 30_000, organizations: [{ id: 'org_demo' }] })
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const gateway = await startTestGateway(
    { ehr: createLockedChart(), pharmacy: createMemoryPharmacy(), log: captureLog().log },
    { API_BASE_URL: url, API_TOKEN: token },
  )
  sandbox.controls.putWebhook(
    { name: 'pawl', url: `${gateway.url}/webhooks`, secret: webhookSecret, events: eventTypes },
    'org_demo',
  )
  const api = createApi({ baseUrl: url, token })
  for (let made = 0; made < 24; made += 1) await api.createPriorAuthorization(priorAuthorizationRequest({}))
  await sandbox.settled()
  await deliver(gateway.url, 'no envelope')
  await until('nothing is due', async () => (await gateway.ledger.counts()).due === 0)
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
  await until('all was sent', () => sandbox.controls.deliveries().every(({ attempts }) => attempts.length > 0))
  return {
    shots: { overview: `${url}/_sandbox/`, case: `${url}/_sandbox/pages/cases/${approved?.id ?? ''}` },
    async close() {
      await sandbox.close()
      await receiver.close()
    },
  }
}

if (browserPath === undefined) process.exit(1)
await mkdir(images, { recursive: true })
// Those of the sandbox alone, which take no gateway: `npm run screenshots -- sandbox`.
const isSandboxAlone = process.argv.includes('sandbox')
const consoleScene = isSandboxAlone ? undefined : await setScene()
const sandbox = await setSandboxScene()
const browser = await startBrowser()
try {
  const [parked] = (await consoleScene?.gateway.ledger.work({ state: 'parked' }, 1))?.rows ?? []
  const adminUrl = consoleScene?.gateway.adminUrl
  const shots: Record<string, string> = {
    'sandbox-overview': sandbox.shots.overview,
    'sandbox-case': sandbox.shots.case,
    ...(adminUrl !== undefined && {
      'console-overview': `${adminUrl}/`,
      'console-parked': `${adminUrl}/parked`,
      'console-story': `${adminUrl}/resources/${parked?.resourceId ?? ''}`,
    }),
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 }, colorScheme })
    for (const [name, address] of Object.entries(shots)) {
      await page.goto(address)
      // The overview of the console is live once it was shown twice.
      if (name === 'console-overview') await page.getByText('Live', { exact: true }).waitFor()
      await sleep(500)
      await page.screenshot({ path: `${images}${name}-${colorScheme}.png` })
    }
    await page.close()
  }
} finally {
  await browser.close()
  await sandbox.close()
  await consoleScene?.close()
}
