import { defineHandler } from '../../../../../src/index.ts'

const stopped = ['awaiting_provider_response', 'error', 'cancelled', 'completed']

/** Wrong: takes a transfer that stopped for ended, so the attempt after it is kept from the pharmacy. */
export const handler = defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, previous, pharmacy, log }) {
    const before = previous?.prescription_transfer?.status
    if (before !== undefined && stopped.includes(before)) {
      log.debug({ transfer_before: before }, 'the pharmacy has had the last word')
      return
    }
    await pharmacy.putPrescriptionTransfer(resource)
  },
})
