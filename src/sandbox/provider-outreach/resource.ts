import type { OutreachSequenceState, OutreachState } from './states.ts'

export type OutreachChannel = 'fax' | 'email' | 'phone'

/** What was sent: immutable from then on (supplement, Webhooks). */
export interface Transmission {
  readonly sent_at: string
  readonly to: string
  readonly content: string
  readonly attachments: readonly { readonly file_name: string; readonly url: string }[]
}

/** One attempt to reach a prescriber, as its event shows it; more than the supplement names is a choice (supplement, Webhooks). */
export interface ProviderOutreachResource {
  id: string
  object: 'provider_outreach'
  outreach_sequence_id: string
  outreach_sequence_state: OutreachSequenceState
  prior_authorization_id: string
  channel: OutreachChannel
  state: OutreachState
  created_at: string
  updated_at: string
  transmission: Transmission | null
}

/** `provider_outreach` of the answer to a PA creation: the initial outcome (specification, POST /prior-authorization). */
export interface InitialOutreach {
  outreach_sequence_id: string | null
  state: OutreachSequenceState | 'not_started'
  attempts: Pick<ProviderOutreachResource, 'id' | 'channel' | 'state'>[]
}
