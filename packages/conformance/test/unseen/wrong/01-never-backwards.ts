import { defineHandler } from '../../../../../src/index.ts'

const order = [
  'created',
  'processing',
  'awaiting_review',
  'awaiting_provider_response',
  'awaiting_outcome',
  'validating_outcome',
  'completed',
  'failed',
  'not_submitted',
  'cancelled',
]

/** Wrong: leaves out a status that precedes the last one, although a PA returns from `validating_outcome`. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, previous, ehr, log }) {
    if (previous !== undefined && order.indexOf(resource.status) < order.indexOf(previous.status)) {
      // A late delivery must not undo a newer state.
      log.info({ status: resource.status, status_before: previous.status }, 'older than the chart')
      return
    }
    await ehr.putPriorAuthorization(resource)
  },
})
