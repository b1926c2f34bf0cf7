import { expect, it, onTestFinished } from 'vitest'
import { createApi, defineHandler } from '#pawl'
import { createMemoryEhr } from '../../packages/ehr/src/memory/memory-ehr.ts'
import { createSandbox } from '../../packages/sandbox/src/sandbox.ts'
import { prescription } from '../../packages/sandbox/src/sample-requests.ts'
import { benefitVerification } from '../../packages/sandbox/test/requests.ts'
import { startLocalGateway } from '../../test/support/start-local-gateway.ts'
import { until } from '../../test/support/until.ts'
import { deliver, envelope, webhookSecret } from '../../test/support/webhook.ts'
import createHandler from './handler.ts'

it('creates one PA in the service for a BV that it tells of twice', async () => {
  const sandbox = createSandbox({ speed: 0, seed: 7 })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const token = await sandbox.issueToken()
  const priorAuthorizations = new Set<string>()
  let runs = 0
  const following = defineHandler({
    name: 'following',
    on: ['prior_authorization.status_change'],
    async handle({ resource }) {
      priorAuthorizations.add(resource.id)
    },
  })
  // The handlers of a resource run in the order of this list.
  const counting = defineHandler({
    name: 'counting',
    on: ['benefit_verification.status_change'],
    async handle({ resource }) {
      if (resource.status === 'completed') runs += 1
    },
  })
  let lookups = 0
  const creating = createHandler(async () => {
    lookups += 1
    return prescription
  })
  const gateway = await startLocalGateway(
    { ehr: createMemoryEhr(), handlers: [creating, counting, following] },
    { API_BASE_URL: url, API_TOKEN: token, POLL_INTERVAL_MS: '3600000' },
  )
  onTestFinished(() => gateway.destroy())
  const events = ['benefit_verification.status_change', 'prior_authorization.status_change'] as const
  sandbox.controls.putWebhook({
    name: 'main',
    url: `${gateway.url}/webhooks`,
    secret: webhookSecret,
    events: [...events],
  })
  const api = createApi({ baseUrl: url, token })
  const { id } = await api.createBenefitVerification(
    benefitVerification({
      drugs: [{ name: 'Examplumab', dosage: '10 mg', quantity: 4 }],
      mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
    }),
  )
  sandbox.controls.push(id, 'completed')
  await until('the PA', () => runs === 1 && priorAuthorizations.size === 1)
  // Not a copy of the first, so that the handlers run again.
  await deliver(gateway.url, envelope({ id, status: 'completed', note: 'again' }, 'benefit_verification.status_change'))
  await until('the second run', () => runs === 2)
  const [created = ''] = priorAuthorizations
  expect(await api.getPriorAuthorization(created)).toMatchObject({
    prescription: { drug_name: prescription.drug_name },
  })
  expect([lookups, priorAuthorizations.size]).toEqual([1, 1])
})
