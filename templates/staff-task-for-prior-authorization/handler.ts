import { defineHandler, type PriorAuthorization, type StaffTaskReason } from '#pawl'

/** Opens a task for the staff while a prior authorization waits for people, and closes it when it no longer does. */
export default defineHandler({
  name: 'staff-task-for-prior-authorization',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const reason = reasonToAct(resource)
    if (reason === undefined) await ehr.closeStaffTask(resource)
    else await ehr.openStaffTask(resource, reason)
  },
})

function reasonToAct({ status, outcome }: PriorAuthorization): StaffTaskReason | undefined {
  if (status === 'awaiting_review') return 'awaiting_review'
  if (status === 'awaiting_provider_response') return 'awaiting_provider_response'
  // The status comes first: while a PA runs, its outcome is a placeholder whatever its detail_code says.
  const ended = status === 'not_submitted' || status === 'completed'
  return ended && outcome?.detail_code === 'more_information_required' ? 'more_information_required' : undefined
}
