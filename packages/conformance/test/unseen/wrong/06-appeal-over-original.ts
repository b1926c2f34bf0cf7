import { defineHandler } from '../../../../../src/index.ts'

/** Wrong: writes an appeal under the id of the PA that it appeals, whose own entry in the chart it overwrites. */
export const handler = defineHandler({
  name: 'prior-authorization-to-ehr',
  on: [
    'prior_authorization.status_change',
    'prior_authorization.prescription_transfer_change',
    'prior_authorization.real_time_benefits_check_change',
  ],
  async handle({ resource, ehr }) {
    const { is_appeal: isAppeal, resubmission_info: info } = resource
    // One therapy, one entry: the appeal goes on where the denial ended.
    const original = isAppeal === true ? info?.previous_prior_auth_request_id : undefined
    await ehr.putPriorAuthorization({ ...resource, id: original ?? resource.id })
  },
})
