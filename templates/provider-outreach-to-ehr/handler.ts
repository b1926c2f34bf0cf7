import { defineHandler, type ProviderOutreach } from '#pawl'

/** Notes in the chart of the PA's patient how each attempt to reach the prescriber stands. An attempt has no patient, so the PA is read. */
export default defineHandler({
  name: 'provider-outreach-to-ehr',
  on: ['prior_authorization.provider_outreach_change'],
  async handle({ resource, api, ehr, log, signal }) {
    const { id, prior_authorization_id: priorAuthorizationId } = resource
    if (priorAuthorizationId === undefined) return log.warn({}, 'no note: the outreach attempt names no PA')
    const priorAuthorization = await api.getPriorAuthorization(priorAuthorizationId, { signal })
    await ehr.putNote(priorAuthorization, { key: id, title: 'Outreach to the prescriber', text: textOf(resource) })
  },
})

/** What was sent stays out: the addresses of its files expire within minutes. */
function textOf({ channel = 'an unnamed channel', state = 'unknown' }: ProviderOutreach): string {
  return `Attempt by ${channel}: ${state.replaceAll('_', ' ')}.`
}
