import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDigest } from '../../packages/connector/src/digest.ts'
import { ClaimLost } from '../../packages/ledger/src/hot/claim.ts'
import { noGuard } from '../../src/systems/guard.ts'
import { createSystems } from '../../src/systems/systems.ts'
import {
  json,
  now,
  ok,
  type ScriptedService,
  refused,
  startScriptedService,
} from '../../packages/client/test/api/scripted-service.ts'
import { createTestRun } from '../support/run-context.ts'

let service: ScriptedService
let mayAct: boolean
let clock: number

beforeEach(async () => {
  mayAct = true
  clock = now
  service = await startScriptedService({
    clock: { now: () => clock },
    // The claim is lost while the call waits.
    sleep: async (ms) => {
      clock += ms
      mayAct = false
    },
  })
})
afterEach(() => service[Symbol.asyncDispose]())

/** The service as a handler sees it in its run. */
function openRun() {
  const { log, signal, remainingMs } = createTestRun()
  const systems = createSystems({
    systems: {},
    api: service.api,
    breakers: noGuard,
    digest: createDigest(Buffer.alloc(32)),
  })
  const claim = {
    resourceId: 'pa_req_1',
    kind: 'prior_authorization',
    owner: 'o',
    newestEventId: 1,
    retries: 0,
  } as const
  const assertMayAct = () => {
    if (!mayAct) throw new ClaimLost('The test took it.')
  }
  return systems.open({
    claim,
    log,
    signal,
    remainingMs,
    assertMayAct,
    writes: [],
    leftOut: [],
    memoryOf: () => createTestRun().memory,
  }).api
}

const cancel = () => openRun().cancelPriorAuthorization('pa_req_1', 'moved')
const written = () => service.seen.filter(({ method }) => method === 'POST').length

it('a write delayed by a rate refusal of the service is not repeated once the claim is lost', async () => {
  service.play(refused(429, 'rate_limit_exceeded', {}, { 'retry-after': '3' }), ok({}))
  await expect(cancel()).rejects.toBeInstanceOf(ClaimLost)
  expect(written()).toBe(1)
})

it('a write delayed by the rate budget is not sent once the claim is lost', async () => {
  const headers = {
    'RateLimit-Policy': '"write-endpoint-minute";q=1;w=5',
    RateLimit: '"write-endpoint-minute";r=0;t=5',
  }
  service.play(json(200, { status: 'success', data: {} }, headers))
  await cancel()
  await expect(cancel()).rejects.toBeInstanceOf(ClaimLost)
  expect(written()).toBe(1)
})

it('a delayed read is still sent after the claim is lost, since it changes nothing', async () => {
  service.play(
    refused(429, 'rate_limit_exceeded', {}, { 'retry-after': '3' }),
    ok({ id: 'pa_req_1', status: 'created' }),
  )
  expect(await openRun().getPriorAuthorization('pa_req_1')).toMatchObject({ status: 'created' })
  expect(mayAct).toBe(false)
})
