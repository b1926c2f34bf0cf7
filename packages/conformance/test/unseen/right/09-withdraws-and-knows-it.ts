import { defineHandler, NotAllowedInState } from '../../../../../src/index.ts'

/** Odd: cancels at the service, and skips its own echo where nothing but the status changed and the chart is another handler's. */
export const handler = defineHandler({
  name: 'withdraw-unanswered',
  on: ['prior_authorization.status_change'],
  async handle({ resource, events, changes, api, ehr, signal }) {
    if (resource.status === 'awaiting_provider_response') {
      try {
        await api.cancelPriorAuthorization(resource.id, 'Withdrawn by the clinic.', { signal })
      } catch (error) {
        // It ended meanwhile; its event is on the way.
        if (!(error instanceof NotAllowedInState)) throw error
      }
      return
    }
    if (changes.status?.to !== 'cancelled' || events.every(({ isEcho }) => isEcho)) return
    await ehr.openStaffTask(resource, {
      key: 'withdrawn',
      reason: 'cancelled_elsewhere',
      title: 'Find out why the request was cancelled',
    })
  },
})
