import { type FieldTexts, fieldTexts } from './field-text.ts'
import { benefitVerificationMeanings, meaningsIn } from '../state-texts.ts'

const submitted = {
  ...fieldTexts('specification, Benefit verification create request', {
    drug_history: 'What the patient takes and has taken.',
    'drug_history.currently_taking_drugs': 'Drugs that the patient takes now.',
    'drug_history.currently_taking_drugs[].name': 'Name of the drug; not empty.',
    'drug_history.previously_taken_drugs': 'Drugs that the patient no longer takes.',
    'drug_history.previously_taken_drugs[].name': { text: 'Name of the drug; not empty.', example: 'Placebol' },
    entity: 'The legal entity on whose behalf the payer is called. Only BVs have one.',
    'entity.legal_name': { text: 'Registered name.', example: 'Sample Clinic LLC' },
    'entity.tax_id': { text: 'Tax number (EIN), as text.', example: '00-0000000' },
  }),
  ...fieldTexts('supplement, BV', {
    mock_result: 'How this BV is to end, for tests.',
    'mock_result.status': 'The terminal status.',
    'mock_result.case':
      'What is found of the drugs; with `patient_consent_required` the BV fails, whatever the status says.',
  }),
}

export const BenefitVerificationRequest: FieldTexts = {
  ...submitted,
  ...fieldTexts('specification, Benefit verification create request', {
    patient: 'Whose benefits are verified.',
    provider: 'Who prescribes.',
    drugs: 'What is verified: by name or by NDC, at least one. Each counts as one unit of the drug limits.',
    'drugs[].name': 'Name of the drug; not empty.',
    'drugs[].dosage': 'Strength of one unit, as `10 mg`.',
    'drugs[].quantity': 'How many units are dispensed, above 0; not a number of days.',
    insurance: 'Sides of the insurance card, each an item. This or `insurance_content` is needed.',
    insurance_content: 'The insurance in words and numbers. This or `insurance` is needed; alone it cannot be empty.',
    diagnoses: 'Why the drugs are prescribed; recommended, since results become more exact.',
    use_patient_plan_fund_source_check: {
      text: 'Whether the payer is also asked who funds the plan: see `patient_plan_fund_source`.',
      default: false,
    },
    preferred_processing_mode: {
      text: '`realtime` and `realtime_only` ask for an answer within minutes, and count towards `rtbv-drug-minute`. Other values exist.',
      example: 'realtime',
    },
  }),
  ...fieldTexts('supplement, BV', {
    'drugs[].ndc':
      'The drug by its NDC, in place of name and dosage: 11 digits with or without hyphens (5-4-2), or 10 digits with hyphens.',
    replaces: { text: 'Id of the cancelled BV in whose place this one stands.', example: 'bv_z9y8x7w6v5u4t3s2r1q0' },
  }),
  ...fieldTexts('supplement, PA create', {
    priority: { text: '0 critical, 1 high, 2 medium, 3 low.', default: 3 },
  }),
}

/** What a supply costs the patient. */
export const copay = {
  amount_cents: 'What the patient pays, in US cents.',
  supply_duration_days: 'How many days the supply lasts.',
}

export const VerifiedDrug: FieldTexts = {
  ...fieldTexts('specification, Benefit verification resource', {
    name: 'Name of the drug; null where it was submitted by NDC.',
    dosage: 'Strength of one unit as submitted; null without one.',
    quantity: 'Units as submitted; null without a number.',
    coverage: 'Whether the plan pays for the drug; null until the BV is completed.',
    copay: 'What the patient pays, for people to read; null until it is known.',
    copay_options: 'What the patient pays by length of supply; empty until it is known.',
    'copay_options[].amount_cents': copay.amount_cents,
    'copay_options[].supply_duration_days': copay.supply_duration_days,
    determination_details: 'Why the drug is covered, or is not; null until the BV is completed.',
    'determination_details.is_on_formulary': 'Whether the drug is on the list of the plan.',
  }),
  ...fieldTexts('supplement, BV', {
    ndc: 'NDC as submitted; null where the drug was submitted by name.',
    coverage_detail_code:
      'Where `coverage` comes from, for reference only: as the insurer reported it, not for these diagnoses, or only with a PA because of the quantity. Null until the BV is completed.',
    prior_authorization_required:
      'Whether a PA is needed; `not_applicable` where the drug is not covered. Null until the BV is completed.',
    has_active_prior_auth: 'Whether the payer already has a PA that holds; null where it was not found out.',
    'determination_details.is_explicit_plan_exclusion': 'Whether the plan names the drug as excluded.',
    'determination_details.is_prior_auth_acting_as_exception_request':
      'Whether a PA would be an exception to the formulary.',
  }),
}

const failure = fieldTexts('supplement, BV', {
  error: 'Why the BV failed; null unless it did.',
  'error.title': { text: 'The failure in a few words.', example: 'Patient not found' },
  'error.code': 'The kind of failure.',
  'error.detail_code': 'What exactly was wrong or missing; null where no more is known.',
  'error.message': {
    text: 'The failure in a sentence for people.',
    example: 'The payer knows no such member.',
  },
  'error.detail_message': {
    text: 'The detail in a sentence for people; null without a detail.',
    example: 'The date of birth differs.',
  },
})

export const BenefitVerification: FieldTexts = {
  ...submitted,
  ...failure,
  ...fieldTexts('specification, Benefit verification resource', {
    id: 'Id of the BV: `bv_` and letters and digits.',
    object: 'Tells the kind of resource.',
    status: `Where the BV stands. ${meaningsIn(benefitVerificationMeanings)}`,
    status_description: 'The status in a sentence for people; the words can change.',
    drugs: 'The drugs as submitted, each with its result.',
    diagnoses: 'As submitted.',
    patient: 'As submitted.',
    provider: 'As submitted.',
    insurance: 'The insurance as submitted and as read from the card.',
    verification_methods: 'How the payer was asked; empty until it was.',
    'verification_methods[].id': 'Id of the attempt: `bva_` and letters and digits.',
    'verification_methods[].type': 'Who called: a machine, or a person after it.',
    'verification_methods[].transcript': 'What was said; null without a transcript.',
    'verification_methods[].recording_url': {
      text: 'Where the recording can be downloaded; null without one.',
      format: 'uri',
      example: 'https://files.sandbox.invalid/files/bv_a1b2/recordings/1.mp3',
    },
    patient_plan_fund_source: {
      text: 'Who funds the plan; asked only where `use_patient_plan_fund_source_check` was true.',
      default: 'question_not_asked',
    },
  }),
  ...fieldTexts('supplement, BV', {
    patient_coverage_status: 'Whether the patient is insured now, or why that is not known; null until the BV ended.',
    patient_coverage_type: 'Kind of plan; asked only together with its source of funds.',
    pharmacy_benefit_manager_name: {
      text: 'Who manages the pharmacy benefit; null where it was not found out.',
      example: 'Sample PBM',
    },
    replaces: { text: 'Id of the BV in whose place this one stands, or null.', example: 'bv_z9y8x7w6v5u4t3s2r1q0' },
    replaced_by: {
      text: 'Id of the BV that stands in place of this one, or null.',
      example: 'bv_k1l2m3n4o5p6q7r8s9t0',
    },
    triggered_by_pa_id: {
      text: 'Id of the PA that started this BV; null where a request did.',
      example: 'pa_req_a1b2c3d4e5f6g7h8i9j0',
    },
    mock_result: 'As submitted, or null.',
  }),
  ...fieldTexts('supplement, Statuses', {
    review_status: 'Whether a person has looked at the result.',
  }),
  ...fieldTexts('supplement, PA create', { priority: { text: '0 critical, 1 high, 2 medium, 3 low.', default: 3 } }),
}
