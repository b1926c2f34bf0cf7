import { defineHandler, type ProviderOutreach } from '../../../../../src/index.ts'

/** Odd: writes about one resource to the chart of another, with a note for each attempt and a task for their sequence. */
export const handler = defineHandler({
  name: 'outreach-sequence',
  on: ['prior_authorization.provider_outreach_change'],
  async handle({ resource, api, ehr, log, signal }) {
    const { id, prior_authorization_id: priorAuthorizationId, outreach_sequence_state: sequence } = resource
    if (priorAuthorizationId === undefined) {
      log.warn({}, 'no note: the outreach attempt names no PA')
      return
    }
    const priorAuthorization = await api.getPriorAuthorization(priorAuthorizationId, { signal })
    await ehr.putNote(priorAuthorization, {
      key: `outreach/${id}`,
      title: 'Attempt to reach the prescriber',
      text: textOf(resource),
    })
    // An attempt that fails is followed by others: people call once all have failed.
    const key = `outreach/${resource.outreach_sequence_id ?? id}`
    const title = 'Call the prescriber: no message was answered'
    if (sequence === 'exhausted') await ehr.openStaffTask(priorAuthorization, { key, reason: 'no_answer', title })
    else if (sequence === 'completed') await ehr.closeStaffTask(priorAuthorization, 'completed', key)
    else if (sequence === 'cancelled') await ehr.closeStaffTask(priorAuthorization, 'cancelled', key)
  },
})

function textOf({ channel = 'unnamed', state = 'unknown', created_at: at }: ProviderOutreach): string {
  return [`Channel: ${channel}.`, `State: ${state.replaceAll('_', ' ')}.`, ...(at ? [`Begun: ${at}.`] : [])].join('\n')
}
