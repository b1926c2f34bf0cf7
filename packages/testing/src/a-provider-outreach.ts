import { ProviderOutreach } from 'pawl-client/schemas/provider-outreach'
import { type Overrides, withOverrides } from './overrides.ts'
import { refuse } from './refuse.ts'

const transmission = {
  sent_at: '2026-03-01T09:00:00Z',
  to: '555-0101',
  content: 'Please send the last visit note.',
  attachments: [],
}

/** An outreach attempt by fax, sent by default. Throws TypeError where the service would never send it. */
export function aProviderOutreach(different: Overrides<ProviderOutreach> = {}): ProviderOutreach {
  const state = different.state ?? 'sent'
  const isUnsent = state === 'created'
  const defaults = {
    id: 'prov_outreach_1',
    object: 'provider_outreach',
    outreach_sequence_id: 'prov_outreach_seq_1',
    prior_authorization_id: 'pa_req_1',
    channel: 'fax',
    state,
    ...(isUnsent ? {} : { transmission }),
  }
  const built = ProviderOutreach.parse(withOverrides(defaults, different))
  refuse('provider outreach', [
    isUnsent &&
      built.transmission !== undefined &&
      'An attempt with the status created was not sent yet: leave out transmission.',
  ])
  return built
}
