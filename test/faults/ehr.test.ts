import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type AnsweringServer, startAnsweringServer } from '../support/answering-server.ts'
import { type FhirServer, startFhirServer } from '../../src/cli/demo/fhir-server.ts'
import { expectAftermath } from './aftermath.ts'
import { startWorld, type World } from './world.ts'

let fhir: FhirServer
let ehr: AnsweringServer
let world: World

beforeEach(async () => {
  fhir = await startFhirServer()
  // Before the chart, so that it can refuse one resource, whatever is written of it.
  ehr = await startAnsweringServer(async ({ method, path, headers, body }) => {
    if (`${path}${body}`.includes('refused')) return { status: 422, body: '{"resourceType":"OperationOutcome"}' }
    const type = headers['content-type']
    const init = { method, headers: type === undefined ? {} : { 'content-type': type }, ...(body !== '' && { body }) }
    const answer = await fetch(`${new URL(fhir.url).origin}${path}`, init)
    return { status: answer.status, body: await answer.text(), contentType: 'application/fhir+json' }
  })
  world = await startWorld({
    seed: 6,
    // All backoff together is over within a second.
    env: {
      FHIR_BASE_URL: `${ehr.url}${new URL(fhir.url).pathname}`,
      RETRY_ATTEMPTS: '12',
      RETRY_BASE_MS: '10',
      RETRY_MAX_MS: '50',
      BREAKER_COOLDOWN_MS: '100',
    },
  })
  await world.start('all')
})
afterEach(async () => {
  await world.close()
  await ehr.close()
  await fhir.close()
})

async function expectChart(): Promise<void> {
  const written = new Map<string | undefined, string | undefined>()
  for (const { identifier, businessStatus } of await fhir.search('Task'))
    written.set(identifier?.find(({ system }) => system?.endsWith('/prior-authorization'))?.value, businessStatus?.text)
  const wanted = [...world.service.statuses].filter(([id]) => !id.includes('refused'))
  expect(wanted.map(([id]) => [id, written.get(id)])).toEqual(wanted)
}

it('an EHR that is slow gets everything in its time', async () => {
  fhir.setDelay(300)
  await world.load({ resources: 20, forMs: 2_000 })
  fhir.setDelay(0)
  await expectAftermath(world)
  await expectChart()
})

it('an EHR that is down for longer than all backoff parks nothing', async () => {
  const load = world.load({ resources: 20, forMs: 1_500 })
  await sleep(300)
  fhir.setDown(true)
  await load
  await sleep(3_000)
  fhir.setDown(false)
  await expectAftermath(world)
  await expectChart()
})

it('an EHR that refuses one resource for ever gets all others, and the one is parked with the reason', async () => {
  const load = world.load({ resources: 20, forMs: 1_500 })
  world.service.change('pa_req_refused')
  await sleep(500)
  world.service.change('pa_req_refused')
  await load
  await expectAftermath(world, { parked: ['pa_req_refused'] })
  await expectChart()
})
