import { setTimeout as sleep } from 'node:timers/promises'
import { defineHandler } from '../../../../../src/index.ts'

const patienceMs = 800

/** Wrong: takes a chart that is slow for one that has written, and never tries again. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, ehr, signal }) {
    // A slow chart must not hold up the others.
    await Promise.race([ehr.putPriorAuthorization(resource), sleep(patienceMs, undefined, { signal })])
  },
})
