import { fieldTexts } from './field-text.ts'
import { meaningsIn, outreachMeanings, outreachSequenceMeanings } from '../state-texts.ts'

const id = 'Id of the attempt: `prov_outreach_` and letters and digits.'
const channel = 'How the prescriber is reached.'
const sequence = 'Id that all attempts for one PA share: `prov_outreach_seq_` and letters and digits'

export const ProviderOutreach = fieldTexts('supplement, Webhooks; beta', {
  id,
  object: 'Tells the kind of resource.',
  channel,
  state: `Where the attempt stands. ${meaningsIn(outreachMeanings)}`,
  outreach_sequence_id: `${sequence}.`,
  outreach_sequence_state: `Where all attempts together stand. ${meaningsIn(outreachSequenceMeanings)}`,
  prior_authorization_id: 'Id of the PA for which the prescriber is asked.',
  created_at: 'When the attempt was made.',
  updated_at: 'When it last changed.',
  transmission: 'What was sent; null before `sent`, and unchanged after it.',
  'transmission.sent_at': 'When it was sent.',
  'transmission.to': 'Number or address that it was sent to.',
  'transmission.content': 'The words that were sent.',
  'transmission.attachments': 'The files that were sent.',
  'transmission.attachments[].file_name': 'Name of the file.',
  'transmission.attachments[].url': {
    text: 'Where the file can be downloaded; soon expires.',
    format: 'uri',
  },
})

export const initialOutreach = fieldTexts('specification, Endpoint rules', {
  provider_outreach: 'How the outreach began; only where the request enabled it.',
  'provider_outreach.outreach_sequence_id': {
    text: `${sequence}; null where there are none.`,
    example: 'prov_outreach_seq_a1b2c3d4e5f6g7h8i9j0',
  },
  'provider_outreach.state': 'Whether the prescriber is being asked.',
  'provider_outreach.attempts': 'The attempts so far.',
  'provider_outreach.attempts[].id': { text: id, example: 'prov_outreach_a1b2c3d4e5f6g7h8i9j0' },
  'provider_outreach.attempts[].channel': channel,
  'provider_outreach.attempts[].state': 'Each has just been made.',
})
