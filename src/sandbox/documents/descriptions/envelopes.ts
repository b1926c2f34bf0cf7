import { fieldTexts } from './field-text.ts'

const bodies = 'specification, Error body shapes'

export const Created = fieldTexts('specification, Endpoints', {
  id: 'Id of what was created.',
})

export const NdpSubmissionUpdate = fieldTexts('specification, Endpoints', {
  preferred_pharmacy_ncpdp_id: 'Seven digits (NCPDP id) of the pharmacy that is preferred now.',
})

export const ServiceStatus = fieldTexts('specification, Endpoints', {
  message: 'A sentence for people.',
})

export const CodedError = fieldTexts(bodies, {
  status: 'Tells failure from success.',
  error: 'What went wrong.',
  'error.title': { text: 'The error in a few words.', example: 'Not found' },
  'error.description': {
    text: 'The error in a sentence for people.',
    example: 'The resource does not exist.',
  },
  'error.code': 'The error for programs. Further codes can come.',
  'error.existing_prior_auth_request_id': {
    text: 'Id of the PA that is in the way; only with the codes that name another one.',
    example: 'pa_req_a1b2c3d4e5f6g7h8i9j0',
  },
})

export const DetailError = fieldTexts(bodies, {
  detail: { text: 'The error in a sentence for people.', example: 'Prior authorization request does not exist.' },
})

export const ValidationError = fieldTexts(bodies, {
  detail: 'Every fault of the request at once.',
  'detail[].loc': 'Where the fault is: `body`, then the names of fields and the positions in lists.',
  'detail[].msg': { text: 'The fault in words for people.', example: 'Field required' },
  'detail[].type': { text: 'The kind of fault, for programs.', example: 'missing' },
})

/** What stands around the data of an answer. */
export const answerEnvelope = fieldTexts('specification, Endpoints', {
  status: 'Tells success from failure.',
  error: 'Always null here.',
  data: 'What was asked for, or what was created.',
})

/** What stands around the data of an event. */
export const eventEnvelope = {
  ...fieldTexts('specification, Events', {
    title: { text: 'The event in a few words.', example: 'Prior Authorization Updated' },
    description: { text: 'The event in a sentence for people.', example: 'The prior authorization has changed.' },
    event_type: 'The type of the event.',
    data: 'The whole resource as it was when the event was sent, as GET gives it.',
  }),
  ...fieldTexts('supplement, Webhooks', {
    event_id: { text: 'Id of the event: `wh_evt_` and letters and digits.', example: 'wh_evt_a1b2c3d4e5f6g7h8i9j0' },
    occurred_at: { text: 'When it happened.', example: '2026-03-02T12:05:00.000Z' },
  }),
}
