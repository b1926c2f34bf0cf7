import type { BenefitVerificationRequest } from '../../resources/requests/benefit-verification.ts'
import type { PriorAuthorizationRequest } from '../../resources/requests/prior-authorization.ts'

// Everybody here is invented, and looks it.

const patient = {
  internal_id: 'demo-patient-1',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'female',
  date_of_birth: '1980-02-29',
  address: { street: '1 Example Way', city: 'Sampleton', state_province: 'OR', zip_postal_code: '01234' },
} as const

const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: {} }

/** A PA request; `fields` add to it. */
export function priorAuthorizationRequest(fields: Partial<PriorAuthorizationRequest>): PriorAuthorizationRequest {
  return {
    patient,
    provider,
    insurance_content: { member_number: 'DEMO-0001', rx_bin: '610011', rx_pcn: 'DEMO', payer_name: 'Example Health' },
    prescription: {
      drug_name: 'Examplumab',
      strength: '10 mg/mL',
      dose_form: 'pen',
      route_of_administration: 'subcutaneous',
      directions: 'One injection a week',
      quantity: 4,
      days_supply: 28,
      prescription_date: '2026-03-01T09:00:00Z',
    },
    diagnoses: [{ code: 'E66.9' }],
    ...fields,
  }
}

/** A BV of three drugs. */
export const benefitVerificationRequest: BenefitVerificationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'DEMO-0001', rx_bin: '610011' },
  drugs: [
    { name: 'Examplumab', dosage: '10 mg/mL', quantity: 4 },
    { name: 'Placebomycin', dosage: '250 mg', quantity: 30 },
    { ndc: '12345-6789-01', quantity: 1 },
  ],
  mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
}

/** Lets the prescription travel to the preferred pharmacy once the PA is approved. */
export const ndpSubmission = {
  prescription_message_id: 'demo-prescription-1',
  ignore_eligibility_check_error: false,
  preferred_pharmacy_ncpdp_id: '0123456',
}
