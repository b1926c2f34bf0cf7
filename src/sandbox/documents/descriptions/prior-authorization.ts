import { copay } from './benefit-verification.ts'
import { ShownEvidence } from './evidence.ts'
import { type FieldTexts, fieldTexts, within } from './field-text.ts'
import { pharmacy, resubmission } from './prior-authorization-request.ts'
import { meaningsIn, priorAuthorizationMeanings, transferMeanings } from '../state-texts.ts'

const further = 'supplement, PA resource'

export const Outcome: FieldTexts = fieldTexts('supplement, PA outcome', {
  result:
    'How the PA ended. `Approval` is another word for `Approved`. `Pending` only holds the place while the PA runs: read `status` first.',
  detail: 'The outcome in a sentence for people, up to 2,048 characters; null while the PA runs.',
  detail_code: 'The reason in one word; which ones there are depends on the result. Null while the PA runs.',
  client_code: { text: 'A further code of a denial, for the client; may be null.', example: 'D-17' },
  authorization_start_date: 'First day on which an approval holds; may be absent.',
  authorization_expiration: 'Last day on which an approval holds; only with an approval, and may be absent.',
})

const attachment = {
  url: {
    text: 'Where the file can be downloaded; signed, for about 15 minutes.',
    format: 'uri' as const,
    example: 'https://files.sandbox.invalid/files/pa_req_a1b2/messages/note.pdf',
  },
}

export const Message: FieldTexts = fieldTexts(further, {
  id: 'Id of the message.',
  timestamp: 'When it was added.',
  content: 'The words of the message.',
  sent_by_name: 'Who wrote it.',
  direction: '`sent` by the client team, or `received` from the service team.',
  is_resolution: 'Whether it settles what was asked.',
  attachments: 'Files that came with it.',
  'attachments[].id': { text: 'Id of the file.', example: 'att_e5f6g7h8i9j0' },
  'attachments[].file_name': { text: 'Name of the file.', example: 'note.pdf' },
  'attachments[].url': attachment.url,
})

export const Activity: FieldTexts = fieldTexts(further, {
  id: 'Id of the entry.',
  created_at: 'When it happened.',
  type: 'What happened; further types will come.',
  details: 'What there is to see of it; its fields depend on the type.',
  'details.url': {
    text: 'Where the fax can be downloaded; signed, for about 15 minutes.',
    format: 'uri',
  },
  'details.notes': { text: 'What was noted of the call.', example: 'The payer asked for the chart.' },
  'details.recording_url': {
    text: 'Where the recording can be downloaded; null without one.',
    format: 'uri',
    example: 'https://files.sandbox.invalid/files/pa_req_a1b2/recordings/1.mp3',
  },
  'details.transcript': { text: 'What was said; null without a transcript.', example: 'Sandbox call.' },
})

export const PrescriptionTransfer: FieldTexts = fieldTexts(further, {
  status: `Where the transfer stands. ${meaningsIn(transferMeanings)}`,
  confirmed: 'Whether the pharmacy has confirmed that it has the prescription.',
  error_code: 'Why the transfer failed; null unless it did. Treat an unknown code as `other`.',
  transfer_attempts: 'Each time the prescription was sent to a pharmacy, oldest first.',
  'transfer_attempts[].timestamp': 'When it was sent.',
  'transfer_attempts[].pharmacy_ncpdp_id': 'Seven digits (NCPDP id) of the pharmacy.',
  confirmation_attempts: 'Each time the pharmacy was asked whether it has the prescription, oldest first.',
  'confirmation_attempts[].timestamp': 'When it was asked.',
  'confirmation_attempts[].outcome': 'Whether it confirmed.',
})

const person = (who: string) =>
  fieldTexts(further, {
    first_name: { text: `Given name of whoever ${who} it.`, example: 'Sandy' },
    last_name: { text: `Family name of whoever ${who} it.`, example: 'Reviewer' },
    email: { text: `E-mail address of whoever ${who} it.`, format: 'email', example: 'reviewer@sandbox.invalid' },
  })

const analysis = {
  denial_reason_analysis: 'What a denial means; null unless there is one.',
  'denial_reason_analysis.categories': 'Kinds of reasons.',
  'denial_reason_analysis.explanation': {
    text: 'The reasons in words for people.',
    example: 'The plan did not find its criteria met.',
  },
  'denial_reason_analysis.next_steps': { text: 'What can be done, in short.', example: 'Appeal the denial.' },
  'denial_reason_analysis.next_steps_explanation': {
    text: 'What can be done, at length.',
    example: 'A letter of medical necessity can be sent with an appeal.',
  },
}

const benefitsCheck = {
  real_time_benefits_check_response:
    'What the real-time benefits check found; null before it, and where there is none.',
  'real_time_benefits_check_response.patient_cost': 'What the patient pays, in dollars as text.',
  'real_time_benefits_check_response.prior_auth_required': 'Whether the drug needs a PA.',
  'real_time_benefits_check_response.alternatives': 'Other drugs that the plan pays for.',
  'real_time_benefits_check_response.alternatives[].product_id': {
    text: 'Id of the alternative, usually its NDC.',
    example: '12345678902',
  },
  'real_time_benefits_check_response.alternatives[].description': {
    text: 'Name of the alternative.',
    example: 'Samplumab 10 mg',
  },
  'real_time_benefits_check_response.alternatives[].patient_cost': {
    text: 'What the patient pays for it, in dollars as text.',
    example: '$10.00',
  },
  'real_time_benefits_check_response.alternatives[].prior_auth_required': 'Whether it needs a PA.',
}

const eligibility = {
  eligibility_check_response: 'What the eligibility check found of each plan; null before it, and where there is none.',
  'eligibility_check_response[].status': 'Whether the check of the plan succeeded; the other fields depend on it.',
  'eligibility_check_response[].health_plan_name': { text: 'Name of the plan.', example: 'Sample PPO' },
  'eligibility_check_response[].plan_type': 'The government program of the plan; null for another plan.',
  'eligibility_check_response[].rx_bin': {
    text: 'Digits that route pharmacy claims (BIN), or null.',
    example: '610011',
  },
  'eligibility_check_response[].rx_pcn': { text: 'Processor control number, or null.', example: 'SAMPLE' },
  'eligibility_check_response[].rx_grp': { text: 'Group of the pharmacy benefit, or null.', example: 'RX0001' },
  'eligibility_check_response[].effective_start_date': { text: 'First day of the coverage.', example: '2026-01-01' },
  'eligibility_check_response[].effective_end_date': {
    text: 'Last day of the coverage; null where no end is known.',
    example: '2026-12-31',
  },
  'eligibility_check_response[].error_code': { text: 'Code of the failure.', example: '42' },
  'eligibility_check_response[].error_message': {
    text: 'The failure in a sentence for people.',
    example: 'The payer did not answer.',
  },
  'eligibility_check_response[].action_code': { text: 'What the payer asks to be done.', example: 'R' },
}

export const PriorAuthorization: FieldTexts = {
  ...resubmission,
  ...pharmacy,
  ...within('evidence[]', ShownEvidence),
  ...within('submitted_by', person('submitted')),
  ...within('reviewed_by', person('reviewed')),
  ...fieldTexts('specification, Prior authorization resource', {
    id: 'Id of the PA: `pa_req_` and letters and digits.',
    object: 'Tells the kind of resource.',
    status: `Where the PA stands. ${meaningsIn(priorAuthorizationMeanings)}`,
    outcome: 'How the PA ended; read `status` first.',
    insurance: 'The insurance as submitted and as read from the card.',
    provider: 'As submitted.',
    message_thread: 'The messages between the client team and the service team.',
    prescription_transfer: 'How the prescription travels to its pharmacy; null where there is none to transfer.',
    activity_log: 'What happened, with the faxes that were sent and received, oldest first.',
  }),
  ...fieldTexts(further, {
    url: { text: 'Where people see the PA in the web platform.', format: 'uri' },
    patient: 'As submitted.',
    prescription: 'As submitted.',
    diagnoses: 'As submitted.',
    evidence: 'As submitted; files have addresses.',
    questionnaires: 'As submitted.',
    visit_notes: 'As submitted.',
    pharmacy: 'As submitted, or null.',
    priority: { text: '0 critical, 1 high, 2 medium, 3 low.', default: 2 },
    ndp_submission: 'As submitted, with the pharmacy that is preferred now; or null.',
    resubmission_info: 'As submitted, or null.',
    is_appeal: 'Whether the request had `appeal_details`.',
    patient_consent_required: 'Whether the payer wants the consent of the patient.',
    submitted_by: 'Who submitted the PA to the payer; null before that.',
    reviewed_by: 'Who reviewed the PA; null where nobody did.',
    triggered_benefit_verification_id: {
      text: 'Id of the BV that this PA started; null where it started none.',
      example: 'bv_a1b2c3d4e5f6g7h8i9j0',
    },
    mock_result: 'As submitted, or null.',
    out_of_pocket_costs: 'What the patient pays by length of supply; empty unless approved.',
    'out_of_pocket_costs[].amount_cents': copay.amount_cents,
    'out_of_pocket_costs[].supply_duration_days': copay.supply_duration_days,
    'message_thread.is_resolved': 'Whether nothing more is asked.',
    'message_thread.messages': 'The messages, oldest first.',
    ...analysis,
    ...benefitsCheck,
    ...eligibility,
  }),
}
