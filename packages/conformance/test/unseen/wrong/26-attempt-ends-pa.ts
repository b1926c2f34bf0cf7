import { defineHandler, type ProviderOutreach } from '../../../../../src/index.ts'

const failures = ['failed', 'expired']

/** Wrong: shows a PA as failed in the chart once one attempt to reach its prescriber fails, although the PA goes on. */
export const handler = defineHandler({
  name: 'provider-outreach-to-ehr',
  on: ['prior_authorization.provider_outreach_change'],
  async handle({ resource, api, ehr, log, signal }) {
    const { id, state = 'unknown', prior_authorization_id: priorAuthorizationId } = resource
    if (priorAuthorizationId === undefined) {
      log.warn({}, 'no note: the outreach attempt names no PA')
      return
    }
    const priorAuthorization = await api.getPriorAuthorization(priorAuthorizationId, { signal })
    await ehr.putNote(priorAuthorization, { key: id, title: 'Outreach to the prescriber', text: textOf(resource) })
    // Without the prescriber there is no answer for the payer.
    if (failures.includes(state)) await ehr.putPriorAuthorization({ ...priorAuthorization, status: 'failed' })
  },
})

function textOf({ channel = 'an unnamed channel', state = 'unknown' }: ProviderOutreach): string {
  return `Attempt by ${channel}: ${state.replaceAll('_', ' ')}.`
}
