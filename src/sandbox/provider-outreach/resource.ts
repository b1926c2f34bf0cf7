import { z } from 'zod'
import { moment } from '../../resources/requests/text.ts'
import type { ResourceRecord, StoredRecord } from '../platform/store.ts'
import { outreachSequenceStates, outreachStates, type OutreachState } from './states.ts'

const string = z.string()

const attemptFields = {
  id: string,
  channel: z.enum(['fax', 'email', 'phone']),
  state: z.enum(outreachStates),
}

/** What was sent: immutable from then on (supplement, Webhooks). */
const Transmission = z
  .strictObject({
    sent_at: moment,
    to: string,
    content: string,
    attachments: z.array(z.strictObject({ file_name: string, url: string })),
  })
  .readonly()

/** One attempt to reach a prescriber, as its event carries it; fields that the supplement does not name are a choice (beta; supplement, Webhooks). */
export const ProviderOutreachResource = z.strictObject({
  ...attemptFields,
  object: z.literal('provider_outreach'),
  outreach_sequence_id: string,
  outreach_sequence_state: z.enum(outreachSequenceStates),
  prior_authorization_id: string,
  created_at: moment,
  updated_at: moment,
  transmission: Transmission.nullable(),
})
export type ProviderOutreachResource = z.infer<typeof ProviderOutreachResource>

/** `provider_outreach` of the answer to a PA creation: the initial outcome (specification, POST /prior-authorization). */
export const InitialOutreach = z.strictObject({
  outreach_sequence_id: string.nullable(),
  state: z.enum(['in_progress', 'not_started']),
  attempts: z.array(z.strictObject({ ...attemptFields, state: z.literal('created') })),
})
export type InitialOutreach = z.infer<typeof InitialOutreach>

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
