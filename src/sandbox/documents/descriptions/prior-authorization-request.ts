import { type FieldTexts, fieldTexts } from './field-text.ts'

const create = 'specification, Prior authorization create request'

const dispensing = {
  directions: 'How the patient is to use the drug; not empty.',
  quantity: 'How many units are dispensed; whole, above 0. Never rounded, and never a number of days.',
  days_supply: 'How many days they last; whole, above 0.',
  prescription_date: 'When it was prescribed; the zone may be left out.',
}

export const Prescription: FieldTexts = fieldTexts('specification, Prescription', {
  drug_name: 'Name of the drug; not empty.',
  strength: 'Strength of one unit, as `10 mg`; not empty.',
  dose_form: 'In which form it is given, as `Injection, solution`; not empty.',
  route_of_administration: 'How it enters the body; not empty.',
  ...dispensing,
})

export const CodedPrescription: FieldTexts = {
  ...fieldTexts('supplement, PA create', {
    ndc: 'The drug by its NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.',
  }),
  ...fieldTexts('specification, CodedPrescription', {
    ...dispensing,
    quantity_unit_of_measure: {
      text: 'What `quantity` counts: a code of NCIt, or a term of its subset C89510. The default says that no unit is given.',
      default: 'C38046',
    },
  }),
}

const pharmacyId = 'Seven digits (NCPDP id) of the pharmacy that is to dispense.'

export const NdpSubmission: FieldTexts = fieldTexts('supplement, PA create', {
  prescription_message_id: 'Id of the prescription message that the service received. One PA each; not empty.',
  ignore_eligibility_check_error: 'Whether the PA goes on where the eligibility check ends with an error.',
  submit_pa_with_eligibility_check_government_plan: {
    text: 'Whether the PA goes on where the eligibility check finds a government plan.',
    default: false,
  },
  preferred_pharmacy_ncpdp_id: `${pharmacyId} This or \`preferred_pharmacy_details\` is needed.`,
  preferred_pharmacy_details: {
    text: 'The pharmacy in any words. This or `preferred_pharmacy_ncpdp_id` is needed; not empty.',
    example: 'Sample Pharmacy, 3 Example Way, Sampleton',
  },
})

export const NdpSubmissionUpdateRequest: FieldTexts = fieldTexts('supplement, PA create', {
  preferred_pharmacy_ncpdp_id: pharmacyId,
})

export const MockResult: FieldTexts = fieldTexts('supplement, PA create', {
  result: 'The outcome that the PA is to have.',
  detail_code: 'The reason that it is to have; one of those that belong to the result.',
  prescription_transfer_error_code: 'With it the prescription transfer fails for this reason.',
  client_code: { text: 'The code that the denial is to show.', example: 'D-17' },
  trigger_message: { text: 'Whether a message is added to the thread in the end.', default: false },
})

/** The parts of a request that the PA shows again. */
export const resubmission: FieldTexts = fieldTexts('supplement, PA create', {
  'resubmission_info.previous_prior_auth_request_id': {
    text: 'Id of the PA that came before; it must be terminal.',
    example: 'pa_req_z9y8x7w6v5u4t3s2r1q0',
  },
  'resubmission_info.note': {
    text: 'What has changed since. Needed unless there are `appeal_details`; not empty.',
    example: 'The missing lab result is attached.',
  },
  'resubmission_info.quantity_limit_exception_reason': {
    text: 'Why more is needed than the plan allows. Only where the PA before was approved, or was not required; not empty.',
    example: 'The dose was raised.',
  },
})

export const pharmacy: FieldTexts = fieldTexts('supplement, PA create', {
  'pharmacy.name': { text: 'Name of the pharmacy; not empty.', example: 'Sample Pharmacy' },
  'pharmacy.address': 'Where it is; every field of it is optional.',
})

export const PriorAuthorizationRequest: FieldTexts = {
  ...resubmission,
  ...pharmacy,
  ...fieldTexts(create, {
    patient: 'For whom the drug is prescribed.',
    provider: 'Who prescribes it; the NPI and the address are needed.',
    insurance: 'Sides of the insurance card, each an item. This or `insurance_content` is needed; both may be sent.',
    insurance_content: 'The insurance in words and numbers. This or `insurance` is needed; alone it cannot be empty.',
    prescription: 'What is prescribed: by name, or by NDC.',
    diagnoses:
      'Why it is prescribed; recommended. Without them the service looks for diagnoses in the evidence, or a reviewer adds them.',
    evidence: 'Clinical facts; recommended.',
    visit_notes: 'Notes of visits.',
    questionnaires: 'Questions with their answers.',
    pharmacy: 'Which pharmacy is to dispense.',
    is_training_data: { text: 'Whether the PA is stored only and never processed.', default: false },
    mock_result: 'How the PA is to end, for tests. Not together with provider outreach.',
    resubmission_info: 'What ties the PA to the one before it.',
    appeal_details: 'The appeal against the denial of the PA before; a route over a Medicare GLP-1 bridge takes none.',
    quantity_limit_exception_reason: {
      text: 'The same as in `resubmission_info`: both places are taken. Not empty.',
      example: 'The dose was raised.',
    },
    provider_outreach: 'Asks the prescriber for what is missing. Only for pharmacies; needs `provider.fax`.',
    'provider_outreach.enabled': 'Whether the prescriber is asked.',
    trigger_benefit_verification: 'Verifies benefits first; what is found can end the PA as `not_submitted`.',
    'trigger_benefit_verification.enabled': 'Whether benefits are verified.',
    'trigger_benefit_verification.additional_medications': 'Alternatives that are verified with the drug.',
  }),
  ...fieldTexts('supplement, PA create', {
    priority: { text: '0 critical, 1 high, 2 medium, 3 low.', default: 2, example: 2 },
    ndp_submission:
      'Only where the prescription went to the non-dispensing pharmacy of the service, which passes it on after an approval.',
    'trigger_benefit_verification.additional_medications[].ndc': {
      text: 'The alternative by its NDC: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.',
      example: '12345-6789-01',
    },
    'trigger_benefit_verification.additional_medications[].quantity': {
      text: 'How many units; whole, above 0.',
      example: 4,
    },
  }),
}

export const PriorAuthorizationCancelRequest: FieldTexts = fieldTexts('specification, Endpoint rules', {
  cancellation_reason: 'Why the PA is cancelled; kept for analytics. Not empty.',
})

export const FeedbackRequest: FieldTexts = fieldTexts('specification, Endpoint rules', {
  category: 'What the feedback is about; the values are not documented. Not empty.',
  message: 'The feedback in your words; not empty.',
})
