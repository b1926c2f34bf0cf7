import { defineHandler } from '../../../../../src/index.ts'

/** Odd: runs once for each event in mode `each`, and still hands on the state that holds now, so a second run changes nothing. */
export const handler = defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  mode: 'each',
  async handle({ resource, events, changes, pharmacy, log }) {
    const [event] = events
    await pharmacy.putPrescriptionTransfer(resource)
    log.info(
      {
        event_id: event?.id,
        event_type: event?.type,
        transfer_before: changes.prescriptionTransfer?.from?.status,
        transfer: resource.prescription_transfer?.status,
        count: changes.newTransferAttempts.length,
      },
      'the pharmacy is in sync',
    )
  },
})
