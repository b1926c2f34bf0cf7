import { defineHandler } from '#pawl'

/** Notifies the dispensing pharmacy of each state of the transfer of its prescription. It also follows status changes, so that the next event makes up for a lost transfer event. */
export default defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  reads: 'all',
  async handle({ resource, pharmacy }) {
    await pharmacy.putPrescriptionTransfer(resource)
  },
})
