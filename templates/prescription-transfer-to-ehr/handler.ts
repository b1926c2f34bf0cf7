import { defineHandler } from '#pawl'

/** Notes in the patient's chart how the transfer of a prescription stands. It follows status changes too, so that a lost transfer event is made good by whatever arrives next. */
export default defineHandler({
  name: 'prescription-transfer-to-ehr',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    await ehr.putPrescriptionTransfer(resource)
  },
})
