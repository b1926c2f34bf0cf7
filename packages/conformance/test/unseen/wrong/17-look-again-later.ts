import { defineHandler } from '../../../../../src/index.ts'

const reminderMs = 5_000

/** Wrong: leaves a timer behind for a reminder, which outlives the run, and which a stop forgets. */
export const handler = defineHandler({
  name: 'transfer-reminder',
  on: ['prior_authorization.prescription_transfer_change'],
  async handle({ resource, ehr, log }) {
    const transfer = resource.prescription_transfer
    if (transfer?.status !== 'in_progress' || transfer.confirmed === true) {
      await ehr.closeStaffTask(resource, 'completed', 'transfer')
      return
    }
    const reminder = {
      key: 'transfer',
      reason: 'transfer_unconfirmed',
      title: 'Call the pharmacy: the transfer is not confirmed',
    }
    // Most pharmacies confirm at once.
    setTimeout(() => {
      ehr.openStaffTask(resource, reminder).catch((error: unknown) => log.warn({ error }, 'no reminder'))
    }, reminderMs)
  },
})
