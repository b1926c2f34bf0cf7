import { defineHandler } from '../../../../../src/index.ts'
import type { Bundle, Task } from 'fhir/r4.js'

/** Wrong: reads its task and puts it back without `If-Match`, so an edit of staff in between is lost. */
export const handler = defineHandler({
  name: 'urgent-call',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr, settings, signal }) {
    if (resource.status !== 'awaiting_provider_response') {
      await ehr.closeStaffTask(resource, 'completed', 'urgent')
      return
    }
    const title = 'Call the prescriber today'
    await ehr.openStaffTask(resource, { key: 'urgent', reason: 'prescriber_asked', title })

    // The port knows no priority.
    const chart = settings.FHIR_BASE_URL
    const system = `${settings.FHIR_IDENTIFIER_BASE.replace(/\/+$/, '')}/prior-authorization-staff-task`
    const value = `${resource.id}/urgent`
    const found = await fetch(`${chart}/Task?identifier=${encodeURIComponent(`${system}|${value}`)}`, { signal })
    const text = await found.text()
    if (!found.ok) throw new Error(`The search for the task answered ${found.status}.`)
    // A FHIR server answers a search for tasks with a bundle of them.
    const { entry = [] } = JSON.parse(text) as Bundle<Task>
    const tasks = entry.flatMap(({ resource: task }) => task ?? [])
    const task = tasks.find(({ identifier }) => identifier?.some((each) => each.value === value))
    if (task === undefined || task.priority === 'urgent') return
    const headers = { 'content-type': 'application/fhir+json' }
    const body = JSON.stringify({ ...task, priority: 'urgent' })
    const answer = await fetch(`${chart}/Task/${task.id}`, { method: 'PUT', headers, body, signal })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`The task answered ${answer.status}.`)
  },
})
