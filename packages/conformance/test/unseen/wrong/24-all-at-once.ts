import { defineHandler } from '../../../../../src/index.ts'
import type { Bundle, Task } from 'fhir/r4.js'

const pages = 24
const perPage = 50
const teams = ['Team A', 'Team B', 'Team C']

/** Wrong: reads all pages of the work list from the chart at once, however many. */
export const handler = defineHandler({
  name: 'call-by-least-busy-team',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr, once, settings, signal }) {
    if (resource.status !== 'awaiting_provider_response') {
      await ehr.closeStaffTask(resource, 'completed', 'call')
      return
    }

    async function readPage(page: number): Promise<Task[]> {
      const query = new URLSearchParams({ status: 'requested', _count: `${perPage}`, _offset: `${page * perPage}` })
      const headers = { accept: 'application/fhir+json' }
      const answer = await fetch(`${settings.FHIR_BASE_URL}/Task?${query}`, { headers, signal })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`The work list answered ${answer.status}.`)
      // A FHIR server answers a search for tasks with a bundle of them.
      const { entry = [] } = JSON.parse(text) as Bundle<Task>
      return entry.flatMap(({ resource: task }) => task ?? [])
    }

    const owner = await once('owner', async () => {
      const tasks = (await Promise.all(Array.from({ length: pages }, (_, page) => readPage(page)))).flat()
      const load = (team: string) => tasks.filter((task) => task.owner?.display === team).length
      return teams.toSorted((one, other) => load(one) - load(other))[0]
    })
    await ehr.openStaffTask(resource, { key: 'call', reason: 'prescriber_asked', title: 'Call the prescriber', owner })
  },
})
