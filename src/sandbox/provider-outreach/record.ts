import type { ProviderOutreachResource } from '../../service/schemas/provider-outreach.ts'
import type { ResourceRecord, StoredRecord } from '../platform/store.ts'
import type { OutreachState } from './states.ts'

/** What is stored of an outreach attempt. */
export type ProviderOutreachRecord = ResourceRecord<
  'provider_outreach',
  ProviderOutreachResource,
  { to: string; cannotBeSent: boolean; isAnswered: boolean },
  OutreachState
>

/** The attempts of one PA, whose id is the record's. */
export interface OutreachSequenceRecord extends StoredRecord {
  kind: 'outreach_sequence'
  attempts: string[]
}
