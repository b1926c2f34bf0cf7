import { defineHandler } from '#pawl'

/** Keeps the patient's chart in step with each prior authorization and its messages. */
export default defineHandler({
  name: 'prior-authorization-to-ehr',
  on: ['prior_authorization.status_change', 'prior_authorization.message'],
  async handle({ resource, changes, ehr }) {
    await ehr.putPriorAuthorization(resource)
    for (const message of changes.newMessages) await ehr.putMessage(resource, message)
  },
})
