import type { Annotation, Extension, Task } from 'fhir/r4.js'
import { parseJson } from '@pawl/base/parse-json'
import type { FhirServer } from '@pawl/testing/services/fhir-server'
import { isAbout } from '@pawl/testing/in-sync/differences'
import type { LineRequest, LineAnswer } from '@pawl/testing/lines/line'

/** A change by staff in the chart, which pawl must not overwrite. */
export interface StaffEdit {
  /** `Type/id` */
  reference: string
  note: string
  at: number
  /** Staff completed the task. */
  isEnd?: boolean
}

/** Other users of the chart: staff, and another system with resources of its own. */
export interface Chart {
  /** Resources of the other system, as `Type/id`. */
  readonly foreign: readonly string[]
  readonly edits: readonly StaffEdit[]
  /** Staff add a note to the task of that kind and assign it to themselves; false without such a task. */
  editNow(this: void, kind: string, id: string): Promise<boolean>
  /** Staff complete the open tasks for this PA whose identifier has its own key; false without one. */
  completeTasks(this: void, id: string): Promise<boolean>
  /** Does the same right before pawl's next write to the task arrives. */
  editBeforeNextWrite(this: void, kind: string, id: string): void
  /** Staff add a note to the existing record that this write is about, of any type. */
  editRecord(this: void, request: LineRequest): Promise<void>
  /** The next few task searches by identifier return one of the other system. */
  searchCarelessly(this: void): void
  before(this: void, request: LineRequest): Promise<LineAnswer | undefined>
}

/** Enough for a connector and a handler that both search. */
const carelessSearches = 4

/** Kinds of tasks that end with the service's state, or that a shipped handler ends. */
const mirrored = ['prior-authorization', 'prescription-transfer', 'prior-authorization-staff-task']
const openStates: ReadonlySet<string> = new Set(['requested', 'accepted', 'in-progress', 'on-hold'])

const type = { 'content-type': 'application/fhir+json' }

/** Fills the chart with the other system's resources. */
export async function createChart(fhir: FhirServer): Promise<Chart> {
  const foreign: string[] = []
  const edits: StaffEdit[] = []
  const awaited: { kind: string; id: string }[] = []
  let careless = 0
  let notes = 0

  async function create(resource: Task): Promise<string> {
    const answer = await fetch(`${fhir.url}/Task`, { method: 'POST', headers: type, body: JSON.stringify(resource) })
    if (!answer.ok) throw new Error(`The chart refused a Task: HTTP ${answer.status}.`)
    // A FHIR server answers a write with the resource.
    return ((await answer.json()) as { id: string }).id
  }

  const foreignTask: Task = {
    resourceType: 'Task',
    identifier: [{ system: 'https://other.example/tasks', value: 'other-1' }],
    status: 'requested',
    intent: 'order',
    description: 'A task of another system.',
    for: { reference: `Patient/${fhir.patientId}` },
  }
  const foreignId = await create(foreignTask)
  foreign.push(`Task/${foreignId}`, `Patient/${fhir.patientId}`)

  async function editNow(kind: string, id: string): Promise<boolean> {
    const task = (await fhir.search('Task')).find((candidate) => isAbout(candidate, kind, id))
    if (task?.id === undefined) return false
    await edit(`Task/${task.id}`)
    return true
  }

  /** Adds a note to a task, or an extension to a record of another type. It reads the record first, so pawl's latest write is kept. */
  async function edit(reference: string, isEnd = false): Promise<void> {
    notes += 1
    const note = `Staff note ${notes}.`
    for (;;) {
      const read = await fetch(`${fhir.url}/${reference}`)
      // A FHIR server answers with the resource.
      const record = (await read.json()) as Edited
      const { extension = [] } = record
      const edited =
        record.resourceType === 'Task'
          ? {
              ...record,
              note: [...(record.note ?? []), { text: note }],
              owner: { display: 'Sample Nurse' },
              ...(isEnd && { status: 'completed' }),
            }
          : { ...record, extension: [...extension, { url: 'https://staff.example/note', valueString: note }] }
      const headers = { ...type, 'if-match': `W/"${record.meta?.versionId}"` }
      const answer = await fetch(`${fhir.url}/${reference}`, { method: 'PUT', headers, body: JSON.stringify(edited) })
      if (answer.ok) break
      if (answer.status !== 412) throw new Error(`The chart refused an edit of ${reference}: HTTP ${answer.status}.`)
    }
    edits.push({ reference, note, at: performance.now(), isEnd })
  }

  async function completeTasks(id: string): Promise<boolean> {
    const isOfHandler = ({ identifier = [] }: Task) =>
      identifier.some(
        ({ system = '', value = '' }) =>
          value.startsWith(`${id}/`) || (value === id && !mirrored.some((kind) => system.endsWith(`/${kind}`))),
      )
    const tasks = (await fhir.search('Task')).filter((task) => isOfHandler(task) && openStates.has(task.status))
    for (const task of tasks) await edit(`Task/${task.id}`, true)
    return tasks.length > 0
  }

  async function editRecord({ path }: LineRequest): Promise<void> {
    const [, below = ''] = /^\/fhir\/R4\/(.+)$/.exec(path) ?? []
    const answer = await fetch(`${fhir.url}/${below}`)
    // A FHIR server answers with a bundle or a resource, here one that pawl wrote.
    const read = (await answer.json()) as Edited & { entry?: { resource: Edited }[] }
    const record = read.resourceType === 'Bundle' ? read.entry?.[0]?.resource : read
    if (answer.ok && record !== undefined) await edit(`${record.resourceType}/${record.id}`)
  }

  return {
    foreign,
    edits,
    editNow,
    completeTasks,
    editRecord,
    editBeforeNextWrite: (kind, id) => void awaited.push({ kind, id }),
    searchCarelessly: () => void (careless += carelessSearches),
    async before({ method, path, body }) {
      if (careless > 0 && method === 'GET' && /\/Task\?.*identifier=/.test(path)) {
        careless -= 1
        const bundle = {
          resourceType: 'Bundle',
          type: 'searchset',
          entry: [{ resource: { ...foreignTask, id: foreignId, meta: { versionId: '1' } } }],
        }
        return { status: 200, headers: type, body: JSON.stringify(bundle) }
      }
      if (method !== 'PUT' || !/\/Task[/?]/.test(path)) return undefined
      const at = awaited.findIndex(({ kind, id }) => isAbout(readResource(body), kind, id))
      const [edit] = at === -1 ? [] : awaited.splice(at, 1)
      if (edit !== undefined) await editNow(edit.kind, edit.id)
      return undefined
    },
  }
}

/** A record of any type. */
interface Edited {
  resourceType: string
  id: string
  meta?: { versionId?: string }
  note?: Annotation[] | undefined
  extension?: Extension[] | undefined
}

function readResource(body: string): Pick<Task, 'identifier'> {
  // Other JSON has no identifier either.
  return parseJson(body) ?? {}
}
