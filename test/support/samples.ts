import { BenefitVerification } from '../../src/service/schemas/benefit-verification.ts'
import { PriorAuthorization } from '../../src/service/schemas/prior-authorization.ts'

/** An invented patient, for charts that must know one. */
export const samplePatient = {
  internal_id: 'patient-7',
  mrn: 'MRN-0007',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'female',
  date_of_birth: '1970-01-31',
  address: { street: '1 Nowhere Road', city: 'Sampletown', state_province: 'NY', zip_postal_code: '00000' },
  phone: '555-0100',
}

const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', fax: '555-0101' }

const insurance = [
  {
    discrete_content: {
      member_number: 'M-100',
      rx_bin: '012345',
      rx_pcn: 'PCN1',
      rx_group: 'RXG1',
      payer_name: 'Sample Payer',
      group_number: 'G-1',
    },
    scanned_content: { error: 'unreadable' },
  },
]

/** A PA of an invented patient as GET returns it, with what a test wants different. */
export function samplePriorAuthorization(different: Record<string, unknown> = {}): PriorAuthorization {
  return PriorAuthorization.parse({
    id: 'pa_req_1',
    object: 'prior_authorization',
    status: 'processing',
    outcome: { result: 'Pending', detail: null, detail_code: null },
    patient: samplePatient,
    provider,
    insurance,
    diagnoses: [{ code: 'E11.9' }],
    prescription: {
      drug_name: 'Exampline',
      strength: '10 mg',
      dose_form: 'tablet',
      directions: 'One tablet daily',
      quantity: 30,
      days_supply: 30,
    },
    ndp_submission: { preferred_pharmacy_ncpdp_id: '1234567' },
    ...different,
  })
}

/** A prescription transfer after one attempt, with what a test wants different. */
export function sampleTransfer(different: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    status: 'in_progress',
    confirmed: false,
    error_code: null,
    transfer_attempts: [{ timestamp: '2026-03-01T10:00:00Z', pharmacy_ncpdp_id: '7654321' }],
    confirmation_attempts: [],
    ...different,
  }
}

/** A message of the PA's thread, with what a test wants different. */
export function sampleMessage(different: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'msg_1',
    timestamp: '2026-03-01T09:00:00Z',
    content: 'Please add the last lab result.',
    sent_by_name: 'Sample Agent',
    direction: 'received',
    is_resolution: false,
    attachments: [{ id: 'att_1', file_name: 'form.pdf', url: 'https://files.example/form.pdf' }],
    ...different,
  }
}

/** A completed BV of an invented patient as GET returns it, with what a test wants different. */
export function sampleBenefitVerification(different: Record<string, unknown> = {}): BenefitVerification {
  return BenefitVerification.parse({
    id: 'bv_1',
    object: 'benefit_verification',
    status: 'completed',
    status_description: 'All drugs were verified.',
    patient: samplePatient,
    provider,
    insurance,
    patient_coverage_status: 'covered',
    drugs: [
      {
        name: 'Exampline',
        dosage: '10 mg',
        quantity: 30,
        coverage: 'covered',
        coverage_detail_code: 'insurer_reported_value',
        prior_authorization_required: 'yes',
        copay: '$19.99',
        copay_options: [
          { amount_cents: 1999, supply_duration_days: 30 },
          { amount_cents: 4999, supply_duration_days: 90 },
        ],
        determination_details: { is_on_formulary: true, is_explicit_plan_exclusion: false },
      },
    ],
    ...different,
  })
}
