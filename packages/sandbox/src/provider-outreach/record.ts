import type { ProviderOutreachResource } from 'pawl-client/schemas/provider-outreach'
import type { ResourceRecord, StoredRecord } from '../platform/store.ts'
import type { OutreachState } from './states.ts'

export type ProviderOutreachRecord = ResourceRecord<
  'provider_outreach',
  ProviderOutreachResource,
  { to: string; cannotBeSent: boolean; isAnswered: boolean },
  OutreachState
>

/** The attempts of one PA; `id` is the id of the PA. */
export interface OutreachSequenceRecord extends StoredRecord {
  kind: 'outreach_sequence'
  attempts: string[]
}
