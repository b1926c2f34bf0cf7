import { defineHandler, PawlError } from '../../../../../src/index.ts'
import type { Bundle, Task } from 'fhir/r4.js'

/** Odd: writes to the chart by HTTP of its own, with the identifier checked and `If-Match` on every write. */
export const handler = defineHandler({
  name: 'priority-of-calls',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr, settings, signal }) {
    if (resource.status !== 'awaiting_provider_response') {
      await ehr.closeStaffTask(resource, 'completed', 'priority')
      return
    }
    const title = 'Call the prescriber today'
    await ehr.openStaffTask(resource, { key: 'priority', reason: 'prescriber_asked', title })

    const chart = settings.FHIR_BASE_URL
    const system = `${settings.FHIR_IDENTIFIER_BASE.replace(/\/+$/, '')}/prior-authorization-staff-task`
    const value = `${resource.id}/priority`
    const found = await fetch(`${chart}/Task?identifier=${encodeURIComponent(`${system}|${value}`)}`, { signal })
    const text = await found.text()
    if (!found.ok) throw new ChartBusy('The chart did not answer the search.')
    // A FHIR server answers a search for tasks with a bundle of them.
    const { entry = [] } = JSON.parse(text) as Bundle<Task>
    const isOurs = (task: Task) => task.identifier?.some((each) => each.system === system && each.value === value)
    const task = entry.flatMap((each) => each.resource ?? []).find(isOurs)
    const version = task?.meta?.versionId
    if (task === undefined || version === undefined) throw new ChartBusy('The chart did not show the task.')
    // Staff may have set a priority, or ended the task.
    if (task.priority !== undefined || task.status !== 'requested') return
    const headers = { 'content-type': 'application/fhir+json', 'if-match': `W/"${version}"` }
    const body = JSON.stringify({ ...task, priority: 'urgent' })
    const answer = await fetch(`${chart}/Task/${task.id}`, { method: 'PUT', headers, body, signal })
    await answer.arrayBuffer()
    if (!answer.ok) throw new ChartBusy('The chart did not take the priority.')
  },
})

class ChartBusy extends PawlError {
  readonly code = 'chart_busy'
  override readonly retry = 'backoff'
}
