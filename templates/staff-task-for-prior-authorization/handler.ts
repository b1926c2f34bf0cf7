import { defineHandler, type PriorAuthorization } from '#pawl'
import type { StaffTask } from '@pawl/ehr'

/** Opens a staff task while a prior authorization waits for people, also after an end without an approval, and then closes the task. */
export default defineHandler({
  name: 'staff-task-for-prior-authorization',
  on: ['prior_authorization.status_change'],
  reads: 'all',
  async handle({ resource, ehr }) {
    const task = taskFor(resource)
    if (task === undefined) await ehr.closeStaffTask(resource, wasCalledOff(resource) ? 'cancelled' : 'completed')
    else await ehr.openStaffTask(resource, task)
  },
})

/** The task for people; adapt titles and instructions to your staff. */
function taskFor({
  status,
  outcome,
  url,
  denial_reason_analysis: analysis,
}: PriorAuthorization): StaffTask | undefined {
  const open = url === undefined ? '' : ` Open it at ${url}.`
  if (status === 'awaiting_review') {
    return { reason: status, title: 'Review a prior authorization', instructions: `It is sent when approved.${open}` }
  }
  if (status === 'awaiting_provider_response') {
    const instructions = `The payer waits for the prescriber.${open}`
    return { reason: status, title: 'Answer for a prior authorization', instructions }
  }
  // The status comes first: while a PA runs, its outcome is a placeholder, regardless of its detail_code.
  if (!['completed', 'not_submitted', 'failed'].includes(status)) return undefined
  const said = sentences(outcome?.detail, analysis?.explanation, analysis?.next_steps_explanation)
  const code = outcome?.detail_code
  if (code === 'more_information_required') {
    return { reason: code, title: 'Complete and resubmit a prior authorization', instructions: said }
  }
  if (code === 'patient_consent_required') {
    return { reason: code, title: "Get the patient's consent for a prior authorization", instructions: said }
  }
  if (status === 'completed' && outcome?.result === 'Denied') {
    return { reason: 'denied', title: 'Decide on an appeal of a denied prior authorization', instructions: said }
  }
  return undefined
}

function wasCalledOff({ status }: PriorAuthorization): boolean {
  return ['cancelled', 'failed', 'not_submitted'].includes(status)
}

function sentences(...parts: unknown[]): string | undefined {
  const said = parts.filter((part): part is string => typeof part === 'string' && part.trim() !== '')
  return said.length === 0 ? undefined : said.join(' ')
}
