import { defineHandler } from '#pawl'

/** Tells the dispensing pharmacy how the transfer of its prescription stands. It follows status changes too, so that a lost transfer event is made good by whatever arrives next. */
export default defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, pharmacy }) {
    await pharmacy.putPrescriptionTransfer(resource)
  },
})
