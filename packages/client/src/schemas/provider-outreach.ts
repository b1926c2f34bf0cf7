import { z } from 'zod'
import { lenientOf, type ReadOf } from './lenient.ts'
import { keysOf, meaningsIn, saidIn } from './said.ts'
import { essential } from './shape.ts'
import { moment, text } from './text.ts'

/** Meaning of each state of an outreach attempt; only `sent` is documented, the others are a choice (beta; supplement, Webhooks). */
export const outreachStates = {
  created: 'to be sent',
  sent: 'on its way',
  delivered: 'it arrived',
  responded: 'the prescriber answered',
  expired: 'no answer came in time; the PA continues',
  failed: 'it could not be sent; the PA continues',
  cancelled: 'no longer needed',
} as const

/** Meaning of each state of a PA's attempts as a whole; also a choice. */
export const outreachSequenceStates = {
  in_progress: 'at least one attempt runs',
  completed: 'the prescriber answered',
  exhausted: 'every attempt ended without an answer',
  cancelled: 'no longer needed',
} as const

const said = saidIn('supplement, Webhooks; beta')
const id = 'Id of the attempt: `prov_outreach_` and letters and digits.'
const channel = 'Channel to the prescriber.'
const sequence = 'Id that all attempts for one PA share: `prov_outreach_seq_` and letters and digits'
const channels = z.enum(['fax', 'email', 'phone'])

/** The sent message; immutable (supplement, Webhooks). */
const Transmission = z
  .strictObject({
    sent_at: moment.meta(said('Time of sending.')),
    to: z.string().meta(said('Number or address of the recipient.')),
    content: z.string().meta(said('The sent text.')),
    attachments: z
      .array(
        z.strictObject({
          file_name: z.string().meta(said('Name of the file.')),
          url: z.string().meta(said('Download URL of the file; expires soon.', { format: 'uri' })),
        }),
      )
      .meta(said('The sent files.')),
  })
  .readonly()

/** One attempt to reach a prescriber, as carried by its event; fields that the supplement does not name are a choice (beta; supplement, Webhooks). It has no GET: the event's payload is the only source. */
export const ProviderOutreachResource = z.strictObject({
  id: essential(text.meta(said(id))),
  object: z.literal('provider_outreach').meta(said('Tells the kind of resource.')),
  channel: channels.meta(said(channel)),
  state: z
    .enum(keysOf(outreachStates))
    .meta(said(`State of the attempt. ${meaningsIn(outreachStates)}`, { isLoggable: true })),
  outreach_sequence_id: z.string().meta(said(`${sequence}.`)),
  outreach_sequence_state: z
    .enum(keysOf(outreachSequenceStates))
    .meta(said(`State of all attempts as a whole. ${meaningsIn(outreachSequenceStates)}`)),
  prior_authorization_id: z.string().meta(said('Id of the PA for which the prescriber is asked.')),
  created_at: moment.meta(said('Time of creation.')),
  updated_at: moment.meta(said('Time of the last change.')),
  transmission: Transmission.nullable().meta(said('The sent message; null before `sent`, unchanged after it.')),
})
export type ProviderOutreachResource = z.infer<typeof ProviderOutreachResource>

/** An outreach attempt, read leniently: only `id` is required. Channels and states are not documented, so they are read as text. */
const { channel: sentBy, state, outreach_sequence_state } = ProviderOutreachResource.shape
const asText = (field: z.ZodType) => z.string().meta(field.meta() ?? {})
export const ReadableOutreach = ProviderOutreachResource.extend({
  channel: asText(sentBy),
  state: asText(state),
  outreach_sequence_state: asText(outreach_sequence_state),
})

export const ProviderOutreach: z.ZodType<ProviderOutreach> = lenientOf(ReadableOutreach)
export interface ProviderOutreach extends ReadOf<typeof ReadableOutreach> {}

const began = saidIn('specification, Endpoint rules')

/** `provider_outreach` of the answer to a PA creation: the initial outcome (specification, POST /prior-authorization). */
export const InitialOutreach = z.strictObject({
  outreach_sequence_id: z
    .string()
    .nullable()
    .meta(began(`${sequence}; null without attempts.`, { examples: ['prov_outreach_seq_a1b2c3d4e5f6g7h8i9j0'] })),
  state: z.enum(['in_progress', 'not_started']).meta(began('Whether the prescriber is being asked.')),
  attempts: z
    .array(
      z.strictObject({
        id: z.string().meta(began(id, { examples: ['prov_outreach_a1b2c3d4e5f6g7h8i9j0'] })),
        channel: channels.meta(began(channel)),
        state: z.literal('created').meta(began('Always `created`.')),
      }),
    )
    .meta(began('The attempts so far.')),
})
export type InitialOutreach = z.infer<typeof InitialOutreach>
