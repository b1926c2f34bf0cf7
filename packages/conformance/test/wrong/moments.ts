import { ApiOutcomeUnknown, defineHandler } from '../../../../src/index.ts'
import { beside, send, tell } from '../own-handlers.ts'

const transfers = ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'] as const
const course = ['created', 'processing', 'awaiting_review', 'awaiting_outcome', 'validating_outcome', 'completed']
let login: Promise<Response> | undefined

/** Handlers that are right, but not at each moment: at the first run, at a second visit, with another event, case or attempt beside it. */
export const momentHandlers = {
  'opens its task for a transfer once': defineHandler({
    name: 'own-handler',
    on: transfers,
    async handle({ resource, ehr, once }) {
      const { status } = resource.prescription_transfer ?? {}
      const task = { key: 'watch', reason: 'in_progress', title: 'Ask the pharmacy' }
      if (status === 'in_progress') await once('watch', () => ehr.openStaffTask(resource, task))
      else await ehr.closeStaffTask(resource, 'completed', 'watch')
    },
  }),

  'takes a thread for answered for good': beside(async ({ resource, ehr }) => {
    const messages = resource.message_thread?.messages ?? []
    const isAnswered = messages.some(({ is_resolution: resolves }) => resolves === true)
    if (isAnswered) await ehr.closeStaffTask(resource, 'completed', 'answer')
    else if (messages.length > 0)
      await ehr.openStaffTask(resource, { key: 'answer', reason: 'message', title: 'Answer the messages' })
  }),

  'numbers what it puts by the status': beside(async ({ resource: { id, status } }) => {
    const revision = course.indexOf(status)
    if (revision >= 0) await tell('PUT', `https://register.example/cases/${id}`, { revision, status })
  }),

  'keys its post by the newest event': beside(async ({ resource: { id, status }, changes, events }) => {
    if (changes.status === undefined) return
    await tell('POST', 'https://desk.example/notices', { id, status }, `${id}/${events.at(-1)?.id ?? 0}`)
  }),

  'sends feedback again without an answer': beside(async ({ resource: { id, status, outcome }, api, once, signal }) => {
    if (status !== 'completed' || outcome?.result !== 'Denied') return
    const feedback = () => api.sendFeedback(id, { category: 'denial', message: 'It was denied.' }, { signal })
    await once('feedback', async () => {
      try {
        await feedback()
      } catch (error) {
        if (!(error instanceof ApiOutcomeUnknown)) throw error
        await feedback()
      }
      return null
    })
  }),

  'skips a note that it may have written': beside(async ({ resource, ehr, once }) => {
    const note = { key: 'asked', title: 'Asked', text: 'A prior authorization was asked for.' }
    await once('asked', async ({ mayHaveRun }) => {
      if (!mayHaveRun) await ehr.putNote(resource, note)
    })
  }),

  'keeps a login that failed': beside(async ({ resource: { id, status } }) => {
    login ??= send('GET', 'https://desk.example/token').then((answer) => {
      if (answer.status >= 500) throw new Error('It was refused.')
      return answer
    })
    await login
    await tell('PUT', `https://desk.example/cases/${id}`, { status })
  }),

  'ends its wait after one attempt': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.provider_outreach_change'],
    async handle({ resource: { state = '', prior_authorization_id: id }, api, ehr, signal }) {
      if (id === undefined) return
      const about = await api.getPriorAuthorization(id, { signal })
      const task = { key: 'wait', reason: 'asked', title: 'Wait for the prescriber' }
      if (['created', 'sent', 'delivered'].includes(state)) await ehr.openStaffTask(about, task)
      else await ehr.closeStaffTask(about, 'completed', 'wait')
    },
  }),

  'takes the next case of a patient for an appeal': beside(
    async ({ resource, changes, api, ehr, memory, ...given }) => {
      const key = given.digest(String(resource.patient?.internal_id))
      const before = changes.isFirst ? await memory.read(key) : undefined
      if (before !== undefined && before !== resource.id)
        await ehr.closeStaffTask(await api.getPriorAuthorization(before, given), 'cancelled', 'denied')
      if (changes.isFirst) await memory.write(key, resource.id)
      if (resource.outcome?.result === 'Denied')
        await ehr.openStaffTask(resource, { key: 'denied', reason: 'denied', title: 'Decide what follows' })
    },
  ),
}
