import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EhrWriteFailed } from '../../src/connectors/ehr/ehr-write-failed.ts'
import { createFhirEhr, type FhirEhrOptions } from '../../src/connectors/ehr/fhir/fhir-ehr.ts'
import { Message } from '../../src/resources/prior-authorization.ts'
import { type FhirServer, startFhirServer } from '../../src/cli/demo/fhir-server.ts'
import {
  sampleBenefitVerification,
  sampleMessage,
  samplePriorAuthorization,
  sampleTransfer,
} from '../support/samples.ts'

let server: FhirServer
beforeEach(async () => {
  server = await startFhirServer()
})
afterEach(() => server.close())

const connect = (options: Partial<FhirEhrOptions> = {}) =>
  createFhirEhr({ baseUrl: server.url, identifierBase: 'https://clinic.example/id', ...options })

const failureOf = async (work: Promise<unknown>): Promise<EhrWriteFailed> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof EhrWriteFailed) return error
  throw new Error('The work did not fail as an EHR write.')
}

describe('the FHIR EHR', () => {
  it('creates each resource once and names it in its receipt', async () => {
    const ehr = connect()
    const pa = samplePriorAuthorization({ prescription_transfer: sampleTransfer() })
    const written = [
      ...(await ehr.putPriorAuthorization(pa)),
      ...(await ehr.putPrescriptionTransfer(pa)),
      ...(await ehr.openStaffTask(pa, 'awaiting_review')),
      ...(await ehr.putMessage(pa, Message.parse(sampleMessage()))),
      ...(await ehr.putBenefitVerification(sampleBenefitVerification())),
    ]
    expect(written.map(({ system, type }) => `${system} ${type}`)).toEqual([
      'ehr Task',
      'ehr ClaimResponse',
      'ehr Task',
      'ehr Task',
      'ehr Communication',
      'ehr Coverage',
      'ehr CoverageEligibilityResponse',
    ])
    const tasks = await server.search('Task')
    expect(tasks.map(({ id }) => id)).toEqual(written.filter(({ type }) => type === 'Task').map(({ id }) => id))
    expect(written.every(({ version }) => version !== undefined)).toBe(true)
  })

  it('writes nothing on a rerun, and updates in place when the PA moved on', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization())
    const { writes } = server
    expect(await connect().putPriorAuthorization(samplePriorAuthorization())).toEqual([])
    expect(server.writes).toBe(writes)
    const outcome = { result: 'Denied', detail_code: 'plan_exclusion', detail: 'Excluded by the plan.' }
    await connect().putPriorAuthorization(samplePriorAuthorization({ status: 'completed', outcome }))
    expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
    expect(await server.search('ClaimResponse')).toMatchObject([{ outcome: 'complete', disposition: 'Denied' }])
  })

  it('makes no duplicates when handlers write one resource at once', async () => {
    const ehr = connect()
    await Promise.all(Array.from({ length: 8 }, () => ehr.putPriorAuthorization(samplePriorAuthorization())))
    expect(await server.search('Task')).toHaveLength(1)
    expect(await server.search('ClaimResponse')).toHaveLength(1)
    expect(server.writes).toBe(2)
  })

  it('goes on after a write of the same resource failed', async () => {
    const ehr = connect()
    server.failNext(500)
    const [failed, next] = await Promise.allSettled([
      ehr.putPriorAuthorization(samplePriorAuthorization()),
      ehr.putPriorAuthorization(samplePriorAuthorization()),
    ])
    expect([failed?.status, next?.status]).toEqual(['rejected', 'fulfilled'])
  })

  it('keeps the Task status of a PA whose status it does not know', async () => {
    await connect().putPriorAuthorization(samplePriorAuthorization({ status: 'awaiting_review' }))
    await connect().putPriorAuthorization(samplePriorAuthorization({ status: 'paused_by_payer' }))
    expect(await server.search('Task')).toMatchObject([
      { status: 'on-hold', businessStatus: { text: 'paused_by_payer' } },
    ])
  })

  it('closes a staff task once, and only where there is one', async () => {
    const ehr = connect()
    expect(await ehr.closeStaffTask(samplePriorAuthorization())).toEqual([])
    expect(server.writes).toBe(0)
    await ehr.openStaffTask(samplePriorAuthorization(), 'awaiting_review')
    expect(await ehr.closeStaffTask(samplePriorAuthorization())).toHaveLength(1)
    expect(await ehr.closeStaffTask(samplePriorAuthorization())).toEqual([])
    expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
  })
})

describe('a failed write', () => {
  for (const [status, retry] of [
    [400, 'never'],
    [401, 'backoff'],
    [404, 'never'],
    [422, 'never'],
    [302, 'never'],
    [408, 'backoff'],
    [409, 'backoff'],
    [412, 'backoff'],
    [429, 'backoff'],
    [500, 'backoff'],
    [503, 'backoff'],
  ] as const) {
    it(`with ${status} says ${retry}`, async () => {
      server.failNext(status)
      const error = await failureOf(connect().putPriorAuthorization(samplePriorAuthorization()))
      expect(error).toMatchObject({ code: 'ehr_write_failed', system: 'ehr', resourceType: 'Task', retry })
      expect(error.message).toContain(`Task of pa_req_1: HTTP ${status}`)
    })
  }

  for (const [header, afterMs] of [
    ['7', 7000],
    ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ] as const) {
    it(`with Retry-After ${header} says ${afterMs} ms`, async () => {
      server.failNext(429, { 'retry-after': header })
      const clock = { now: () => Date.parse('2026-03-01T12:00:00Z') }
      const error = await failureOf(connect({ clock }).putPriorAuthorization(samplePriorAuthorization()))
      expect(error.retry).toEqual({ afterMs })
    })
  }

  it('with 429 and an unreadable Retry-After says backoff', async () => {
    server.failNext(429, { 'retry-after': 'soon' })
    expect((await failureOf(connect().closeStaffTask(samplePriorAuthorization()))).retry).toBe('backoff')
  })

  it('of a server that is down says backoff, and works once it is up again', async () => {
    const ehr = connect()
    server.setDown(true)
    expect((await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))).retry).toBe('backoff')
    server.setDown(false)
    expect(await ehr.putPriorAuthorization(samplePriorAuthorization())).toHaveLength(2)
  })

  it('of a server that nobody can reach says backoff and why', async () => {
    const { url } = server
    await server.close()
    const error = await failureOf(connect({ baseUrl: url }).putPriorAuthorization(samplePriorAuthorization()))
    expect(error).toMatchObject({ retry: 'backoff', message: expect.stringContaining('ECONNREFUSED') })
    server = await startFhirServer()
  })

  it('of a server that is too slow says backoff', async () => {
    server.setDelay(60_000)
    const error = await failureOf(connect({ timeoutMs: 30 }).putPriorAuthorization(samplePriorAuthorization()))
    expect(error).toMatchObject({ retry: 'backoff', message: expect.stringContaining('no answer within 30 ms') })
  })

  it('of a connector that was stopped says backoff', async () => {
    const ehr = connect({ signal: AbortSignal.abort() })
    expect((await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))).retry).toBe('backoff')
  })
})

it('sends its token and the FHIR media type, and never repeats what the EHR says', async () => {
  const seen: (string | undefined)[] = []
  const diagnostics = 'Testa Sample, born 1970-01-31, is not known here'
  const issue = [{ severity: 'error', code: 'business-rule', diagnostics }, { code: diagnostics }]
  const refusing = createServer((request, response) => {
    seen.push(request.headers.authorization, request.headers.accept)
    response.writeHead(422).end(JSON.stringify({ resourceType: 'OperationOutcome', issue }))
  })
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
  // The compiler cannot see that a server which listens on a port has an address object.
  const { port } = refusing.address() as AddressInfo
  const ehr = connect({ baseUrl: `http://127.0.0.1:${port}/`, token: 'not-a-real-token' })
  const error = await failureOf(ehr.putPriorAuthorization(samplePriorAuthorization()))
  await new Promise((resolve) => refusing.close(resolve))
  expect(seen).toEqual(['Bearer not-a-real-token', 'application/fhir+json'])
  expect(error.message).toBe(
    'The EHR did not take the Task of pa_req_1: HTTP 422, business-rule. Correct the settings or the mapping, then release the parked work.',
  )
})
