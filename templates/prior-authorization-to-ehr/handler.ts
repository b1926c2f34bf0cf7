import { defineHandler } from '#pawl'

/** Keeps the patient's chart in sync with each prior authorization: its state, the payer's determination, and a readable document of both. */
export default defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  reads: 'all',
  async handle({ resource, ehr }) {
    await ehr.putPriorAuthorization(resource)
  },
})
