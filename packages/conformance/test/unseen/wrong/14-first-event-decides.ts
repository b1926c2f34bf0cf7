import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: lets the first event decide for all, so a transfer that comes together with a status, or whose event was lost, stays untold. */
export const handler = defineHandler({
  name: 'prescription-transfer-to-pharmacy',
  on: ['prior_authorization.prescription_transfer_change', 'prior_authorization.status_change'],
  async handle({ resource, events, pharmacy, log }) {
    const [event] = events
    // The status of the authorization is none of the pharmacy's business.
    if (event?.type !== 'prior_authorization.prescription_transfer_change') return
    await pharmacy.putPrescriptionTransfer(resource)
    log.info({ event_id: event.id, transfer: resource.prescription_transfer?.status }, 'told the pharmacy')
  },
})
