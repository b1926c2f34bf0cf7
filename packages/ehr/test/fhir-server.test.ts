import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FhirServer, startFhirServer } from '../../testing/src/services/fhir-server.ts'

let server: FhirServer
beforeEach(async () => {
  server = await startFhirServer()
})
afterEach(() => server.close())

const put = (body: object) =>
  fetch(`${server.url}/Task?identifier=urn:test%7C1`, {
    method: 'PUT',
    headers: { 'content-type': 'application/fhir+json' },
    body: JSON.stringify(body),
  })

it('the local FHIR server refuses what is not valid FHIR R4 with an OperationOutcome', async () => {
  const response = await put({ resourceType: 'Task', status: 'requested' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ resourceType: 'OperationOutcome' })
  expect(server.writes).toBe(0)
})

it('the local FHIR server creates and then updates by identifier, and says what it can', async () => {
  const task = { resourceType: 'Task', identifier: [{ system: 'urn:test', value: '1' }], intent: 'order' }
  expect((await put({ ...task, status: 'requested' })).status).toBe(201)
  expect((await put({ ...task, status: 'completed' })).status).toBe(200)
  expect(await server.search('Task')).toMatchObject([{ status: 'completed' }])
  const metadata = await fetch(`${server.url}/metadata`)
  expect(await metadata.json()).toMatchObject({ resourceType: 'CapabilityStatement', fhirVersion: '4.0.1' })
})

it("finds what is a patient's by the patient's id, with its type and without", async () => {
  const task = { resourceType: 'Task', identifier: [{ system: 'urn:test', value: '1' }], intent: 'order' }
  await put({ ...task, status: 'requested', for: { reference: `Patient/${server.patientId}` } })
  const countOf = async (patient: string) => {
    const answer = await fetch(`${server.url}/Task?patient=${patient}`)
    // The server answers a search with a Bundle.
    return ((await answer.json()) as { entry?: unknown[] }).entry?.length ?? 0
  }
  expect(await countOf(server.patientId)).toBe(1)
  expect(await countOf(`Patient/${server.patientId}`)).toBe(1)
  expect(await countOf('another')).toBe(0)
})
