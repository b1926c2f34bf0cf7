import { defineHandler, isApproved, type PriorAuthorization } from '../../../../../src/index.ts'

/** Odd: keeps one task with reasons and endings of its own, beside the shipped one. */
export const handler = defineHandler({
  name: 'clinic-work-list',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const step = nextStep(resource)
    if (step === undefined) {
      await ehr.closeStaffTask(resource, resource.status === 'cancelled' ? 'cancelled' : 'completed', 'clinic')
      return
    }
    await ehr.openStaffTask(resource, { key: 'clinic', ...step, owner: 'Infusion desk' })
  },
})

/** The clinic's own steps: one word, and one line for the work list. */
function nextStep({ status, outcome }: PriorAuthorization): { reason: string; title: string } | undefined {
  switch (status) {
    case 'awaiting_review':
    case 'awaiting_provider_response':
      return { reason: 'chase', title: 'Chase the prescriber' }
    case 'completed':
      if (isApproved(outcome)) return { reason: 'book', title: 'Book the infusion chair' }
      return { reason: 'alternatives', title: 'Talk about alternatives' }
    case 'failed':
    case 'not_submitted':
      return { reason: 'mend', title: 'Mend the request' }
    default:
      return undefined
  }
}
