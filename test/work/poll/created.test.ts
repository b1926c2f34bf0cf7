import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { type Api, createApi } from '../../../packages/client/src/api/client.ts'
import type { AnyHandler } from '../../../src/work/handler.ts'
import { createSandbox, type Sandbox } from '../../../packages/sandbox/src/sandbox.ts'
import { benefitVerification, priorAuthorization } from '../../../packages/sandbox/test/requests.ts'
import { startLocalGateway, type LocalGateway } from '../../support/start-local-gateway.ts'
import { until } from '../../support/until.ts'
import { deliver, envelope } from '../../support/webhook.ts'

const minuteMs = 60_000

let sandbox: Sandbox
let gateway: LocalGateway
let seen: string[]

beforeEach(() => {
  seen = []
  sandbox = createSandbox({ speed: 0, seed: 3 })
})
afterEach(async () => {
  await gateway.destroy()
  await sandbox.close()
})

/** Runs the handlers, has `enqueue` say what they follow, and lets all that the service knows of come to its end, unheard. */
async function play(handlers: readonly AnyHandler[], enqueue: (api: Api) => Promise<object>): Promise<void> {
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  let aheadMs = 0
  gateway = await startLocalGateway(
    { handlers, clock: { now: () => Date.now() + aheadMs } },
    { API_BASE_URL: url, API_TOKEN: token, POLL_INTERVAL_MS: '50', LEASE_MS: '3600000' },
  )
  await deliver(gateway.url, await enqueue(createApi({ baseUrl: url, token })))
  await until(
    'what was created is known, and has a next poll',
    async () => seen.length === 1 && (await gateway.ledger.counts()).due === 0,
  )
  while (sandbox.controls.step() !== undefined);
  aheadMs = 11 * minuteMs
  await until('its end is found', () => seen.length === 2)
}

it('a BV created by a handler is followed to its end, even without any webhook', async () => {
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
  await play([asksForBenefits, watchesBenefits], async (api) => {
    const { id } = await api.createPriorAuthorization(priorAuthorization())
    return envelope({ id, status: 'created' })
  })
  expect(seen).toEqual(['pending by api', 'completed by poll'])
})
