import { NotAllowedInState } from '../../../../src/index.ts'
import { beside, tell } from '../own-handlers.ts'

const running: readonly string[] = [
  'created',
  'processing',
  'awaiting_review',
  'awaiting_provider_response',
  'awaiting_outcome',
  'validating_outcome',
]
const ended: readonly string[] = ['completed', 'failed', 'not_submitted', 'cancelled']
const denials: readonly string[] = ['unknown', 'plan_exclusion', 'step_therapy_criteria_not_met']

/** Handlers that are wrong about states and codes that the service added later. */
export const unknownEndHandlers = {
  'writes of an end that it does not know': beside(async ({ resource: { id, status, outcome }, once }) => {
    if (running.includes(status)) return
    const template = status === 'completed' ? outcome?.detail_code : 'ended'
    await once('closing', () =>
      tell('POST', 'https://letters.example/letters', { case: id, template }, `${id}/closing`),
    )
  }),

  'ends its task in a status that it does not know': beside(async ({ resource, ehr }) => {
    const task = { key: 'watch', reason: 'running', title: 'Watch it' }
    if (running.includes(resource.status)) await ehr.openStaffTask(resource, task)
    else await ehr.closeStaffTask(resource, 'completed', 'watch')
  }),

  'withdraws what it does not know': beside(async ({ resource: { id, status }, api, signal }) => {
    if (running.includes(status) || ended.includes(status)) return
    try {
      await api.cancelPriorAuthorization(id, 'It is over.', { signal })
    } catch (error) {
      if (!(error instanceof NotAllowedInState)) throw error
    }
  }),

  'knows a denial by its code': beside(async ({ resource, ehr }) => {
    const task = { key: 'appeal', reason: 'denied', title: 'Decide on an appeal' }
    if (denials.includes(resource.outcome?.detail_code ?? '')) await ehr.openStaffTask(resource, task)
    else await ehr.closeStaffTask(resource, 'completed', 'appeal')
  }),
}
