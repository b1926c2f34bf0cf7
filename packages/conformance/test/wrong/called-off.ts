import { defineHandler, isApproved, NotAllowedInState } from '../../../../src/index.ts'
import { tell } from '../own-handlers.ts'

const ended: readonly string[] = ['completed', 'failed', 'not_submitted', 'cancelled']

/** What has ended meanwhile needs no cancellation. */
async function unlessEnded(cancel: Promise<unknown>): Promise<void> {
  try {
    await cancel
  } catch (error) {
    if (!(error instanceof NotAllowedInState)) throw error
  }
}

/** Handlers that are wrong in what they cancel, and in what they do when something was. */
export const calledOffHandlers = {
  'skips its own cancellation': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.status_change', 'prior_authorization.real_time_benefits_check_change'],
    async handle({ resource: { id, status, real_time_benefits_check_response: check }, events, api, signal }) {
      if (events.length > 0 && events.every(({ isEcho }) => isEcho)) return
      await tell('PUT', `https://desk.example/cases/${id}`, { status })
      if (check?.prior_auth_required !== false || ended.includes(status)) return
      await api.cancelPriorAuthorization(id, 'It is not needed.', { signal })
    },
  }),

  'takes a failed cancellation for an end': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.real_time_benefits_check_change'],
    async handle({ resource: { id, status, real_time_benefits_check_response: check }, api, signal }) {
      if (check?.prior_auth_required !== false || ended.includes(status)) return
      await api.cancelPriorAuthorization(id, 'It is not needed.', { signal }).catch(() => undefined)
    },
  }),

  'cancels after one attempt': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.provider_outreach_change'],
    async handle({ resource: { prior_authorization_id: id, state }, api, signal }) {
      if (id === undefined || (state !== 'expired' && state !== 'failed')) return
      await unlessEnded(api.cancelPriorAuthorization(id, 'Nobody answers.', { signal }))
    },
  }),

  'cancels transfers that need no PA': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.status_change', 'prior_authorization.prescription_transfer_change'],
    async handle({ resource: { id, status, outcome, prescription_transfer: transfer }, api, signal }) {
      if (status !== 'completed' || isApproved(outcome) || transfer?.status !== 'in_progress') return
      await unlessEnded(api.cancelPrescriptionTransfer(id, { signal }))
    },
  }),

  'leaves its task open after a cancellation': defineHandler({
    name: 'own-handler',
    on: ['prior_authorization.prescription_transfer_change'],
    async handle({ resource, ehr }) {
      const { status } = resource.prescription_transfer ?? {}
      const task = { key: 'transfer', reason: 'unclear', title: 'Call the prescriber' }
      if (status === 'awaiting_provider_response') await ehr.openStaffTask(resource, task)
      if (status === 'completed') await ehr.closeStaffTask(resource, 'completed', 'transfer')
    },
  }),

  'asks for a PA of a cancelled BV': defineHandler({
    name: 'own-handler',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      const task = { key: 'pa', reason: 'pa_required', title: 'Request a PA' }
      const needs = (resource.drugs ?? []).some(({ prior_authorization_required: needed }) => needed !== 'no')
      if (needs) await ehr.openStaffTask(resource, task)
      else await ehr.closeStaffTask(resource, 'completed', 'pa')
    },
  }),

  'files what events tell alone': defineHandler({
    name: 'benefit-verification-to-ehr',
    on: ['benefit_verification.status_change'],
    async handle({ resource, ehr }) {
      if (['pending', 'completed', 'failed'].includes(resource.status)) await ehr.putBenefitVerification(resource)
    },
  }),
}
