import { defineHandler, type PriorAuthorization, type ProviderOutreach } from '../../../../../src/index.ts'

const known = new Map<string, PriorAuthorization>()

/** Wrong: writes the PA from a cache of its own that no change refreshes, so the chart falls back to an earlier state. */
export const handler = defineHandler({
  name: 'provider-outreach-to-ehr',
  on: ['prior_authorization.provider_outreach_change'],
  async handle({ resource, api, ehr, log, signal }) {
    const priorAuthorizationId = resource.prior_authorization_id
    if (priorAuthorizationId === undefined) {
      log.warn({}, 'no note: the outreach attempt names no PA')
      return
    }
    // Each attempt has many states: one request for all of them.
    const cached = known.get(priorAuthorizationId)
    const priorAuthorization = cached ?? (await api.getPriorAuthorization(priorAuthorizationId, { signal }))
    known.set(priorAuthorizationId, priorAuthorization)
    const note = { key: resource.id, title: 'Outreach to the prescriber', text: textOf(resource) }
    await ehr.putNote(priorAuthorization, note)
    // Staff see request and attempt side by side.
    await ehr.putPriorAuthorization(priorAuthorization)
  },
})

function textOf({ channel = 'an unnamed channel', state = 'unknown' }: ProviderOutreach): string {
  return `Attempt by ${channel}: ${state.replaceAll('_', ' ')}.`
}
