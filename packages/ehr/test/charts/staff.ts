import { isDeepStrictEqual } from 'node:util'
import type { Reference } from 'fhir/r4.js'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { ownNameOf, takes, taskStatusIn } from './chart-reading.ts'
import { nurseId } from './people.ts'

const nurse = { reference: `Practitioner/${nurseId}`, display: 'Nurse Example' }
const remark = { text: 'Called the payer.' }
const seen = { text: 'Seen by staff' }

/** The staff of a clinic, who work in the chart while the gateway does. */
export interface Staff {
  /** Take over the unowned Tasks of a resource, with a remark on all its Tasks, and mark its document as seen. */
  workOn(resourceId: string): void
  /** Mark the document of a resource as seen. */
  see(resourceId: string): void
  /** Set the status of a resource's staff task. */
  setStaffTask(resourceId: string, status: 'in-progress' | 'completed'): void
  /** Lost work of the staff, a line each. */
  losses(): string[]
}

/** Staff touch only what the gateway goes on updating, and know no versions. */
export function createStaff(chart: Chart, base: string): Staff {
  const tasks = new Map<string, Reference | undefined>()
  const documents = new Set<string>()
  const named = (type: 'Task' | 'DocumentReference', resourceId: string) =>
    chart
      .all(type)
      .filter((each) => ownNameOf(each, base)?.value === resourceId)
      .map(({ id }) => id)

  function see(resourceId: string): void {
    if (!takes(chart, 'DocumentReference', 'update')) return
    for (const id of named('DocumentReference', resourceId).filter((each) => !documents.has(each))) {
      chart.edit('DocumentReference', id, (held) => void (held.securityLabel = [seen]))
      documents.add(id)
    }
  }

  return {
    see,
    workOn(resourceId) {
      see(resourceId)
      for (const id of named('Task', resourceId).filter((each) => !tasks.has(each))) {
        chart.edit('Task', id, (held) => {
          // A transfer is owned by its pharmacy.
          held.owner ??= nurse
          held.note = [...(held.note ?? []), remark]
          tasks.set(id, held.owner)
        })
      }
    },
    setStaffTask(resourceId, status) {
      if (taskStatusIn(chart, status) !== status) return
      const isStaffTask = (id: string) =>
        chart.all('Task', (each) => each.id === id && /staff-task/.test(ownNameOf(each, base)?.kind ?? '')).length > 0
      for (const id of named('Task', resourceId).filter(isStaffTask))
        chart.edit('Task', id, (held) => void (held.status = status))
    },
    losses: () => [
      ...chart
        .all('Task', ({ id }) => tasks.has(id))
        .filter(
          ({ id, owner, note = [] }) =>
            !isDeepStrictEqual(owner, tasks.get(id)) || note.filter(({ text }) => text === remark.text).length !== 1,
        )
        .map(({ id }) => `Task/${id} lost what staff wrote`),
      ...chart
        .all('DocumentReference', ({ id }) => documents.has(id))
        .filter(({ securityLabel }) => securityLabel?.[0]?.text !== seen.text)
        .map(({ id }) => `DocumentReference/${id} lost what staff wrote`),
    ],
  }
}
