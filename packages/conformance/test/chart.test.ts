import type { Task } from 'fhir/r4.js'
import { expect, it, onTestFinished } from 'vitest'
import { startFhirServer } from '../../testing/src/services/fhir-server.ts'
import { createChart } from '../src/chart.ts'

it('staff who edit a task keep what others wrote since it was read', async () => {
  const fhir = await startFhirServer()
  onTestFinished(() => fhir.close())
  const chart = await createChart(fhir)
  const task: Task = {
    resourceType: 'Task',
    identifier: [{ system: 'https://pawl.example/prior-authorization', value: 'pa_1' }],
    status: 'requested',
    intent: 'order',
    for: { reference: `Patient/${fhir.patientId}` },
  }
  const headers = { 'content-type': 'application/fhir+json' }
  await fetch(`${fhir.url}/Task`, { method: 'POST', headers, body: JSON.stringify(task) })

  await Promise.all(Array.from({ length: 5 }, () => chart.editNow('prior-authorization', 'pa_1')))

  const edited = (await fhir.search('Task')).find(({ identifier }) => identifier?.[0]?.value === 'pa_1')
  expect(edited?.note?.map(({ text }) => text).toSorted()).toEqual([1, 2, 3, 4, 5].map((n) => `Staff note ${n}.`))
})
