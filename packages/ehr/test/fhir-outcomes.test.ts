import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FhirServer, startFhirServer } from '../../testing/src/services/fhir-server.ts'
import { EhrWriteFailed } from '../src/ehr-write-failed.ts'
import { createFhirEhr } from '../src/fhir/fhir-ehr.ts'
import { type Fetch, leanFetch } from '../../base/src/net/fetch.ts'
import { createTestRun } from '../../../test/support/run-context.ts'
import { samplePatient, samplePriorAuthorization } from '../../../test/support/samples.ts'

let server: FhirServer
beforeEach(async () => {
  server = await startFhirServer()
  await server.admit(samplePatient)
})
afterEach(() => server.close())

const outcome = (severity: string, code: string) => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity, code, diagnostics: 'Kanarina Zwitscherling is not known' }],
})
const pageWith = (entry: object) => ({ resourceType: 'Bundle', type: 'searchset', entry: [{ resource: entry }] })

/** A chart that answers requests of a method and path with 200 and this body, and others as they are. */
async function write(method: string, path: RegExp, body: object) {
  const fetch: Fetch = async (address, init) => {
    if (init.method !== method || !path.test(address)) return leanFetch(address, init)
    return { status: 200, headers: new Headers(), text: async () => JSON.stringify(body) }
  }
  const answered: string[] = []
  const run = createTestRun({
    beginRequest: (kind) => ({ answered: () => void answered.push(kind) }),
  })
  const ehr = createFhirEhr({ baseUrl: server.url, identifierBase: 'https://clinic.example/id', fetch }).open(run)
  const error = await ehr.putPriorAuthorization(samplePriorAuthorization()).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return { error, receipts: run.receipts.map(({ type }) => type), answered }
}

describe('a 2xx answer of the chart', () => {
  it.each([
    ['error', 'business-rule', { retry: 'never', mayBeOutage: false }],
    ['fatal', 'invalid', { retry: 'never', mayBeOutage: false }],
    ['error', 'forbidden', { retry: 'never', mayBeOutage: true }],
    ['error', 'lock-error', { retry: 'backoff', mayBeOutage: false }],
  ] as const)('that reports %s (%s) is a failure: nothing counts as written', async (severity, code, verdict) => {
    const { error, receipts, answered } = await write('PUT', /\/Task\b/, outcome(severity, code))
    expect(error).toBeInstanceOf(EhrWriteFailed)
    expect(error).toMatchObject({ ...verdict, isOutage: false, request: 'PUT /Task' })
    expect(String(error)).toContain(code)
    expect(String(error)).not.toContain('Kanarina')
    expect(receipts).not.toContain('Task')
    expect(answered).not.toContain('PUT /Task')
  })

  it.each(['warning', 'information'])('that reports a mere %s counts as written', async (severity) => {
    const { error, receipts } = await write('PUT', /\/Task\b/, outcome(severity, 'informational'))
    expect(error).toBeUndefined()
    expect(receipts).toContain('Task')
  })

  it('to a search that reports an error is a failure: nothing is created beside what was not found', async () => {
    const { error, receipts } = await write('GET', /\/Task\?/, pageWith(outcome('error', 'exception')))
    expect(error).toMatchObject({ retry: 'backoff', request: 'GET /Task' })
    expect(receipts).not.toContain('Task')
    expect(await server.search('Task')).toEqual([])
  })

  it('to a search that reports a warning beside what it found is a result', async () => {
    const { error } = await write('GET', /\/Task\?/, pageWith(outcome('warning', 'incomplete')))
    expect(error).toBeUndefined()
  })
})
