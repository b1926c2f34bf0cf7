import { setTimeout as sleep } from 'node:timers/promises'
import { beside, type Context, send, tell } from '../own-handlers.ts'

const attempts = new Map<string, number>()

/** The task that the handler keeps beside the port of the chart. */
async function findTask({ resource, settings, signal }: Context) {
  const { FHIR_BASE_URL: base = '', FHIR_IDENTIFIER_BASE: names } = settings
  const token = encodeURIComponent(`${names.replace(/\/+$/, '')}/prior-authorization-staff-task|${resource.id}/urgent`)
  const found = await fetch(`${base}/Task?identifier=${token}`, { signal })
  if (!found.ok) throw new Error('The chart refused it.')
  const { entry = [] } = (await found.json()) as {
    entry?: {
      resource: { id: string; meta: { versionId: string }; identifier?: { value?: string }[]; statusReason?: object }
    }[]
  }
  const task = entry[0]?.resource
  // The search may have found the task of another system.
  if (task?.identifier?.some(({ value }) => value === `${resource.id}/urgent`) !== true) throw new Error('No task.')
  return task
}

/** Puts the task; resolves with the status of the answer. */
async function putTask({ settings, signal }: Context, task: { id: string }, version: string): Promise<number> {
  const headers = { 'content-type': 'application/fhir+json', 'if-match': `W/"${version}"` }
  const init = { method: 'PUT', headers, body: JSON.stringify(task), signal }
  const answer = await fetch(`${settings.FHIR_BASE_URL}/Task/${task.id}`, init)
  await answer.arrayBuffer()
  return answer.status
}

/** A task whose priority follows the status; `put` writes it. */
const withPriority = (put: (context: Context, task: Awaited<ReturnType<typeof findTask>>) => Promise<void>) =>
  beside(async (context) => {
    const { resource, ehr } = context
    await ehr.openStaffTask(resource, { key: 'urgent', reason: 'running', title: 'Hurry' })
    const task = await findTask(context)
    const statusReason = { text: resource.status }
    if (JSON.stringify(task).includes(JSON.stringify(statusReason))) return
    await put(context, { ...task, statusReason })
  })

/** Handlers that go on for too long, or not for long enough. */
export const goingOnHandlers = {
  'repeats a write without end': beside(async ({ resource: { id, status } }) => {
    for (;;) {
      const answer = await send('PUT', `https://records.example/cases/${id}`, { status }).catch(() => undefined)
      if (answer?.ok === true) return
      await sleep(100)
    }
  }),

  'gives up after four attempts': beside(async ({ resource: { id, status } }) => {
    try {
      await tell('PUT', `https://records.example/cases/${id}`, { status })
      attempts.delete(id)
    } catch (error) {
      attempts.set(id, (attempts.get(id) ?? 0) + 1)
      if ((attempts.get(id) ?? 0) < 4) throw error
      attempts.delete(id)
    }
  }),

  'takes a conflict for done': withPriority(async (context, task) => {
    const status = await putTask(context, task, task.meta.versionId)
    if (status !== 200 && status !== 412) throw new Error('The chart refused it.')
  }),

  'puts its old task under a new version': withPriority(async (context, task) => {
    let status = await putTask(context, task, task.meta.versionId)
    if (status === 412) status = await putTask(context, task, (await findTask(context)).meta.versionId)
    if (status !== 200) throw new Error('The chart refused it.')
  }),

  'puts its task without a version': withPriority(async (context, task) => {
    const { settings, signal } = context
    const headers = { 'content-type': 'application/fhir+json' }
    const init = { method: 'PUT', headers, body: JSON.stringify(task), signal }
    const answer = await fetch(`${settings.FHIR_BASE_URL}/Task/${task.id}`, init)
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error('The chart refused it.')
  }),
}
