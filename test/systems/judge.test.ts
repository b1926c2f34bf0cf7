import { expect, it } from 'vitest'
import { staticToken } from '../../packages/ehr/src/fhir/auth/token-provider.ts'
import { createChartClient } from '../../packages/ehr/src/fhir/chart-client.ts'
import { systemClock } from '../../packages/base/src/clock.ts'
import { leanFetch } from '../../packages/base/src/net/fetch.ts'
import { createApi } from '../../packages/client/src/api/client.ts'
import { openHl7 } from '../../packages/ehr/test/hl7/open-hl7.ts'
import { pharmacyFrom } from '../../packages/pharmacy/src/pharmacy-from.ts'
import { failureOf } from '../../src/systems/judge.ts'
import { startFarSide } from '../../packages/testing/src/far-side.ts'
import { samplePriorAuthorization, sampleTransfer } from '../support/samples.ts'
import { createTestRun } from '../support/run-context.ts'

/** Verdict on the chart after a failed search in it. */
async function judge(url: string, signal?: AbortSignal) {
  const run = createTestRun(signal && { signal })
  const deps = { baseUrl: url, tokens: staticToken(undefined), fetch, clock: systemClock, timeoutMs: 5_000 }
  return createChartClient(deps, run)
    .search('Task', { identifier: 'https://pawl.example|pa_req_1' })
    .then(
      () => 'none',
      (error: unknown) => failureOf(error),
    )
}

const failures: [number, ReturnType<typeof failureOf>][] = [
  [302, 'refusal'],
  [400, undefined],
  [401, 'outage'],
  [403, 'refusal'],
  [404, 'refusal'],
  [409, undefined],
  [410, 'refusal'],
  [413, undefined],
  [422, undefined],
  [429, undefined],
  [500, 'outage'],
  [503, 'outage'],
]
for (const [status, failure] of failures) {
  const says = { outage: 'that it is away', refusal: 'that it may refuse everything', none: 'nothing about it' }
  it(`${status} from the chart means ${says[failure ?? 'none']}`, async () => {
    const server = await startFarSide(() => ({ status, body: '{}' }))
    expect(await judge(server.url)).toBe(failure)
    await server.close()
  })
}

it('a refused connection means that the chart is down', async () => {
  expect(await judge('http://127.0.0.1:9')).toBe('outage')
})

const nowhere = '127.0.0.1:9'
const secret = `whsec_${Buffer.from('a secret of this test alone, no other').toString('base64')}`
const settings = {
  NODE_ENV: 'production',
  PHARMACY_SECRET: [secret],
  PHARMACY_HOST_KEY: [`SHA256:${'A'.repeat(43)}`],
  PHARMACY_PASSWORD: 'password',
}
const tellAt = (url: string) =>
  pharmacyFrom({ ...settings, PHARMACY_URL: url })
    .open(createTestRun())
    .putPrescriptionTransfer(samplePriorAuthorization({ prescription_transfer: sampleTransfer() }))
const readApi = (baseUrl: string) =>
  createApi({ baseUrl, token: 'a-token', maxAttempts: 1 }).readSnapshot('prior_authorization', 'pa_req_1')
const searchChart = (baseUrl: string) =>
  createChartClient(
    { baseUrl, tokens: staticToken(undefined), fetch: leanFetch, clock: systemClock, timeoutMs: 5_000 },
    createTestRun(),
  ).search('Task', { identifier: 'https://pawl.example|pa_req_1' })

/** A call to each system where nothing listens. */
const unreached: Record<string, () => Promise<unknown>> = {
  'the service': () => readApi(`http://${nowhere}`),
  'the chart': () => searchChart(`http://${nowhere}`),
  'the chart by HL7 v2': () => openHl7(9).open(createTestRun()).putPriorAuthorization(samplePriorAuthorization()),
  'the pharmacy by signed HTTP': () => tellAt(`http://${nowhere}`),
  'the pharmacy by SFTP': () => tellAt(`sftp://pawl@${nowhere}/in`),
  'the table of the pharmacy in PostgreSQL': () => tellAt(`postgres://pawl:pawl@${nowhere}/rx`),
  'the table of the pharmacy in MariaDB': () => tellAt(`mariadb://pawl:pawl@${nowhere}/rx`),
}
for (const [system, call] of Object.entries(unreached))
  it(`a refused connection to ${system} costs no attempt`, async () => {
    await expect(call()).rejects.toMatchObject({ isOutage: true, retry: 'backoff', costsAttempt: false })
  })

for (const fault of ['cut', 'unavailable', 'unauthorized'] as const)
  for (const [system, call] of Object.entries({ chart: searchChart, pharmacy: tellAt, service: readApi }))
    it(`the fault "${fault}" of the ${system}, which a connection reached, may cost an attempt`, async () => {
      const server = await startFarSide(() => ({ status: 200, body: '{}' }))
      server.fail(fault)
      await expect(call(server.url)).rejects.toMatchObject({ isOutage: true, costsAttempt: true })
      await server.close()
    })

it('a request aborted with its connector shows nothing about the chart', async () => {
  const stopping = new AbortController()
  const server = await startFarSide(() => {
    stopping.abort()
    return 'silence'
  })
  expect(await judge(server.url, stopping.signal)).toBeUndefined()
  await server.close()
})
