import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: knows no grant but `Approved`, so a transfer after `Approval`, or where no PA is required, stays untold. */
export const handler = defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, pharmacy, log }) {
    const { status, outcome, prescription_transfer: transfer } = resource
    if (transfer === undefined) return
    // A prescription moves to its pharmacy only once it is paid for.
    if (status !== 'completed' || outcome?.result !== 'Approved') {
      log.debug({ status, outcome: outcome?.result }, 'not granted: nothing to tell')
      return
    }
    await pharmacy.putPrescriptionTransfer(resource)
  },
})
