import { PriorAuthorization } from '../../packages/client/src/schemas/prior-authorization.ts'
import { createTestRun } from '../../test/support/run-context.ts'
import { type Pa, type Put, writePriorAuthorization } from './plain-chart.ts'
import type { RecordingEhr } from './recording-ehr.ts'

/** Brings the PA of an API's answer into the chart. */
export type Work = (answered: unknown) => Promise<void>

/** With pawl's schemas and pawl's chart: so that engines alone are compared. */
export function workWithOurs({ ehr: system, noteDone }: RecordingEhr): Work {
  const run = createTestRun()
  return async (answered) => {
    const resource = PriorAuthorization.parse(answered)
    const ehr = system.open(run)
    await ehr.putPriorAuthorization(resource)
    for (const message of resource.message_thread?.messages ?? []) await ehr.putMessage(resource, message)
    const { status } = resource
    if (status === 'awaiting_review') {
      await ehr.openStaffTask(resource, { reason: status, title: 'Review a prior authorization' })
    } else await ehr.closeStaffTask(resource, 'completed')
    noteDone()
  }
}

/** With a mapping of its own, in memory or over HTTP. */
export function workOfTwoDays({ noteDone, noteWritten }: RecordingEhr, baseUrl: string | undefined): Work {
  const put = baseUrl === undefined ? putInMemory() : putOverHttp(baseUrl)
  return async (answered) => {
    const pa = answered as Pa // unchecked, as in the code that this stands for
    const { internal_id: patient } = pa.patient
    const patientId = baseUrl === undefined ? patient : await findPatient(baseUrl, patient)
    await writePriorAuthorization(pa, patientId, put)
    noteWritten(pa.id)
    noteDone()
  }
}

function putInMemory(): Put {
  const held = new Map<string, object>()
  return (type, { system, value }, resource) => held.set(`${type} ${system}|${value}`, resource)
}

function putOverHttp(baseUrl: string): Put {
  const headers = { 'content-type': 'application/fhir+json' }
  return (type, { system, value }, resource) =>
    ask(`${baseUrl}/${type}?identifier=${encodeURIComponent(`${system}|${value}`)}`, {
      method: 'PUT',
      headers,
      body: JSON.stringify(resource),
    })
}

async function findPatient(baseUrl: string, number: string): Promise<string> {
  const found = await ask(`${baseUrl}/Patient?identifier=${number}`)
  const { entry } = found as { entry: { resource: { id: string } }[] } // the chart answers a search so
  return entry[0]?.resource.id ?? ''
}

async function ask(address: string, request?: RequestInit): Promise<unknown> {
  const response = await fetch(address, request)
  if (!response.ok) throw new Error(`The chart answered ${response.status}.`)
  return response.json()
}
