import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: compares only the status of the transfer, so new attempts and confirmations never reach the pharmacy. */
export const handler = defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, previous, pharmacy }) {
    const now = resource.prescription_transfer?.status
    const before = previous?.prescription_transfer?.status
    // The pharmacy counts each notice: one for each change.
    if (now === undefined || now === before) return
    await pharmacy.putPrescriptionTransfer(resource)
  },
})
