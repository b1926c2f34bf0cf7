import { defineHandler, NotAllowedInState } from '../../../../../src/index.ts'

/** Wrong: skips the echo of its own cancellation before the chart has learned of it. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, events, api, ehr, log, signal }) {
    if (events.every(({ isEcho }) => isEcho)) {
      log.debug({ status: resource.status }, 'our own cancellation: known already')
      return
    }
    await ehr.putPriorAuthorization(resource)
    // The clinic answers no payer on paper: such a request is withdrawn.
    if (resource.status !== 'awaiting_provider_response') return
    try {
      await api.cancelPriorAuthorization(resource.id, 'Withdrawn by the clinic.', { signal })
    } catch (error) {
      // It went on meanwhile; its event is on the way.
      if (!(error instanceof NotAllowedInState)) throw error
    }
  },
})
