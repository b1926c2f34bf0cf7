import { defineHandler } from '#pawl'
import { draftResubmission } from './draft-resubmission.ts'

const title = 'Draft of a resubmission'

/** If the payer lacks information, writes a draft of the resubmission into the chart and opens a task to complete, confirm and send it. Sends nothing itself. */
export default defineHandler({
  name: 'resubmission-draft',
  on: ['prior_authorization.status_change'],
  async handle({ resource, ehr }) {
    const { status, outcome } = resource
    const hasEnded = ['completed', 'not_submitted', 'failed'].includes(status)
    if (!hasEnded || outcome?.detail_code !== 'more_information_required') return
    const { body, missing } = draftResubmission(resource)
    await ehr.putNote(resource, { key: 'resubmission-draft', title, text: JSON.stringify(body, undefined, 2) })
    await ehr.openStaffTask(resource, {
      key: 'resubmission',
      reason: 'resubmission_drafted',
      title: 'Complete, confirm and send a resubmission',
      instructions: [
        ...(outcome.detail === undefined ? [] : [outcome.detail]),
        `The request is in the chart as "${title}".`,
        `Fill in: ${missing.join(', ')}.`,
        'Add the evidence that was missing; earlier evidence is not copied.',
        'pawl sends nothing: confirm the request and send it to POST /prior-authorization.',
      ].join('\n'),
    })
  },
})
