import { defineHandler } from '#pawl'

/**
 * Tells the dispensing pharmacy how the transfer of its prescription stands, and notes it in the chart.
 * It follows status changes too, so that a lost transfer event is made good by whatever arrives next.
 */
export default defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, pharmacy, ehr }) {
    if (resource.prescription_transfer === undefined) return
    // The pharmacy first: a chart that is down must not keep a patient's medication waiting.
    await pharmacy.putPrescriptionTransfer(resource)
    await ehr.putPrescriptionTransfer(resource)
  },
})
