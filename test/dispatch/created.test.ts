import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { benefitVerification, priorAuthorization } from '../sandbox/requests.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'
import { createApi } from '../../src/api/client.ts'

let sandbox: Sandbox
let gateway: TestGateway

beforeEach(() => {
  sandbox = createSandbox({ speed: 0, seed: 3 })
})
afterEach(async () => {
  await gateway.destroy()
  await sandbox.close()
})

it('what a handler creates is followed to its end, even if no webhook ever speaks of it', async () => {
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const minuteMs = 60_000
  let aheadMs = 0
  const seen: string[] = []
  const asksForBenefits = defineHandler({
    name: 'asks-for-benefits',
    on: ['prior_authorization.status_change'],
    handle: ({ api, once }) =>
      once('benefits', async () => {
        await api.createBenefitVerification(benefitVerification({ mock_result: { status: 'completed' } }))
      }),
  })
  const watchesBenefits = defineHandler({
    name: 'watches-benefits',
    on: ['benefit_verification.status_change'],
    async handle({ resource, events }) {
      seen.push(`${resource.status} by ${events.at(-1)?.source}`)
    },
  })
  gateway = await startTestGateway(
    { handlers: [asksForBenefits, watchesBenefits], clock: { now: () => Date.now() + aheadMs } },
    { API_BASE_URL: url, API_TOKEN: token, POLL_INTERVAL_MS: '50', LEASE_MS: '3600000' },
  )
  const { id } = await createApi({ baseUrl: url, token }).createPriorAuthorization(priorAuthorization())
  await deliver(gateway.url, envelope({ id, status: 'created' }))
  await until('it is known, and has a next poll', async () => {
    const { due } = await gateway.ledger.counts()
    return seen.length === 1 && due === 0
  })
  while (sandbox.controls.step() !== undefined);
  aheadMs = 11 * minuteMs
  await until('its end is found', () => seen.length === 2)
  expect(seen).toEqual(['pending by api', 'completed by poll'])
})
