import { defineHandler, type PriorAuthorization } from '../../../../../src/index.ts'
import type { StaffTask } from '@pawl/ehr'

const running = ['created', 'processing', 'awaiting_outcome']

/** Wrong: takes every status outside its list for an end, so `validating_outcome` already opens a task about a denial. */
export const handler = defineHandler({
  name: 'staff-task-for-prior-authorization',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const task = taskFor(resource)
    const wasCalledOff = ['cancelled', 'failed', 'not_submitted'].includes(resource.status)
    if (task === undefined) await ehr.closeStaffTask(resource, wasCalledOff ? 'cancelled' : 'completed')
    else await ehr.openStaffTask(resource, task)
  },
})

function taskFor({ status, outcome, url, denial_reason_analysis: why }: PriorAuthorization): StaffTask | undefined {
  const open = url === undefined ? '' : ` Open it at ${url}.`
  if (status === 'awaiting_review')
    return { reason: status, title: 'Review a prior authorization', instructions: `It is sent when approved.${open}` }
  if (status === 'awaiting_provider_response') {
    const instructions = `The payer waits for the prescriber.${open}`
    return { reason: status, title: 'Answer for a prior authorization', instructions }
  }
  if (status === 'cancelled' || running.includes(status)) return undefined
  const code = outcome?.detail_code
  const said = [outcome?.detail, why?.explanation, why?.next_steps_explanation].filter((part) => part !== undefined)
  const instructions = said.length === 0 ? undefined : said.join(' ')
  if (code === 'more_information_required')
    return { reason: code, title: 'Complete and resubmit a prior authorization', instructions }
  if (code === 'patient_consent_required')
    return { reason: code, title: "Get the patient's consent for a prior authorization", instructions }
  if (outcome?.result !== 'Denied') return undefined
  return { reason: 'denied', title: 'Decide on an appeal of a denied prior authorization', instructions }
}
