import { defineHandler, type ProviderOutreach } from '#pawl'

/** Writes the state of each attempt to reach the prescriber as a note in the patient's chart. An attempt has no patient, so the handler reads its PA. */
export default defineHandler({
  name: 'provider-outreach-to-ehr',
  on: ['prior_authorization.provider_outreach_change'],
  async handle({ resource, api, ehr, log, signal }) {
    const { id, prior_authorization_id: priorAuthorizationId } = resource
    if (priorAuthorizationId === undefined) return log.warn({}, 'no note: the outreach attempt names no PA')
    const priorAuthorization = await api.getPriorAuthorization(priorAuthorizationId, { signal })
    await ehr.putNote(priorAuthorization, {
      key: id,
      kind: 'contact',
      title: 'Outreach to the prescriber',
      text: textOf(resource),
    })
  },
})

/** Leaves the sent message out: the URLs of its files expire within minutes. */
function textOf({ channel = 'an unnamed channel', state = 'unknown' }: ProviderOutreach): string {
  return `Attempt by ${channel}: ${state.replaceAll('_', ' ')}.`
}
