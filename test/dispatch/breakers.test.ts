import { afterEach, beforeEach, expect, it } from 'vitest'
import { defineHandler } from '#pawl'
import { EhrWriteFailed } from '../../src/connectors/ehr/ehr-write-failed.ts'
import { createFhirEhr } from '../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { createBreakers, SystemDown } from '../../src/dispatch/breakers.ts'
import { createLoopWatch } from '../../src/dispatch/loop-watch.ts'
import { type FhirServer, startFhirServer } from '../support/fhir-server.ts'
import { captureLog } from '../support/log-capture.ts'
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

it('a system that one process found away is left alone by the others, until it is back', async () => {
  const board = gateway.ledger
  const { log } = captureLog()
  const [finder, other] = [1, 2].map(() => createBreakers({ cooldownMs: 3_000, board, log }))
  if (finder === undefined || other === undefined) throw new Error('two breakers')
  let calls = 0
  const port = {
    put: () => {
      calls += 1
      return Promise.reject(
        new EhrWriteFailed({ resourceType: 'Task', resourceId: 'x', reason: 'away', retry: 'backoff', isOutage: true }),
      )
    },
  }
  const [asFinder, asOther] = [finder.guard('ehr', port), other.guard('ehr', port)]
  for (let n = 0; n < 5; n += 1) await expect(asFinder.put()).rejects.toThrow(EhrWriteFailed)
  await until('the other has heard', () =>
    asOther.put().then(
      () => false,
      (error: unknown) => error instanceof SystemDown,
    ),
  )
  const before = calls
  await expect(asOther.put()).rejects.toThrow(SystemDown)
  expect(calls).toBe(before)
  finder.close()
  other.close()
})

it('names the handler that holds up the event loop', async () => {
  const { log, lines } = captureLog()
  const holds: number[] = []
  const watch = createLoopWatch({ log, count: (holdMs) => void holds.push(holdMs) })
  const end = watch.begin('hog')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const until1500 = Date.now() + 1_500
  while (Date.now() < until1500);
  end()
  await until('it was seen', () => holds.length > 0)
  expect(lines()).toMatchObject([{ level: 'warn', handler: 'hog' }])
  watch.close()
})
