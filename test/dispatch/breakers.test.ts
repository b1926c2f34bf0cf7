import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { createFhirEhr } from '../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { type FhirServer, startFhirServer } from '../support/fhir-server.ts'
import { createScriptedApi } from '../support/scripted-api.ts'
import { startTestGateway, type TestGateway } from '../support/start-test-gateway.ts'
import { until } from '../support/until.ts'
import { deliver, envelope } from '../support/webhook.ts'

const resources = 12

let fhir: FhirServer
let gateway: TestGateway

beforeEach(async () => {
  fhir = await startFhirServer()
  const chart = defineHandler({
    name: 'chart',
    on: ['prior_authorization.status_change'],
    async handle({ resource, ehr }) {
      await ehr.putPriorAuthorization(resource)
    },
  })
  gateway = await startTestGateway(
    {
      api: createScriptedApi().api,
      ehr: createFhirEhr({ baseUrl: fhir.url, identifierBase: 'https://pawl.example' }),
      handlers: [chart],
    },
    // So few attempts that an outage which cost any beyond those that find it out would park the work.
    { RETRY_ATTEMPTS: '6', RETRY_BASE_MS: '1', RETRY_MAX_MS: '20', BREAKER_COOLDOWN_MS: '30' },
  )
})
afterEach(async () => {
  await gateway.destroy()
  await fhir.close()
})

const ready = async () => (await (await fetch(`${gateway.adminUrl}/readyz`)).json()) as { breakers: { ehr: string } }

it('an EHR that is away for longer than all backoff parks nothing, and all is in step once it is back', async () => {
  fhir.setDown(true)
  for (let n = 0; n < resources; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))
  await until('the breaker is open', async () => (await ready()).breakers.ehr !== 'closed')
  const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
  expect(metrics).toMatch(/pawl_breaker_open\{system="ehr"\} (1|0\.5)/)
  const asked = () => [...fhir.requests.values()].reduce((sum, count) => sum + count, 0)
  const before = asked()
  await until('it was asked again and again', () => asked() - before > 8)
  expect((await gateway.ledger.counts()).parked).toBe(0)
  fhir.setDown(false)
  await until('all in step', async () => (await gateway.ledger.counts()).due === 0)
  expect(await fhir.search('Task')).toHaveLength(resources)
  expect((await ready()).breakers.ehr).toBe('closed')
})

it('one resource that the EHR refuses opens no breaker and parks alone', async () => {
  const refused = defineRefusal()
  await deliver(gateway.url, envelope({ id: 'pa_req_0' }))
  await until('parked', async () => (await gateway.ledger.counts()).parked === 1)
  for (let n = 1; n < resources; n += 1) await deliver(gateway.url, envelope({ id: `pa_req_${n}` }))
  await until('the others in step', async () => (await gateway.ledger.counts()).due === 0)
  expect(await gateway.ledger.parked(10)).toMatchObject([{ resourceId: 'pa_req_0', errorCode: 'ehr_write_failed' }])
  expect((await ready()).breakers.ehr).toBe('closed')
  expect(refused).toBe(422)
})

/** The next request, whichever it is, is refused for good. */
function defineRefusal(): number {
  fhir.failNext(422)
  return 422
}
