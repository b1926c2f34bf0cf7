import { defineHandler } from '#pawl'

/** Keeps the patient's chart in sync with the transfer of a prescription. It also follows status changes, so that the next event makes up for a lost transfer event. */
export default defineHandler({
  name: 'prescription-transfer-to-ehr',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  reads: 'all',
  async handle({ resource, ehr }) {
    await ehr.putPrescriptionTransfer(resource)
  },
})
