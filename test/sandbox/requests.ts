import type { BenefitVerificationRequest } from '../../src/resources/requests/benefit-verification.ts'
import type { PriorAuthorizationRequest } from '../../src/resources/requests/prior-authorization.ts'

const patient = {
  internal_id: 'patient-1',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'not_specified',
  date_of_birth: '1980-02-29',
  address: { street: '1 Example Way', city: 'Sampleton', state_province: 'OR', zip_postal_code: '01234' },
} as const

const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: {} }

/** A PA request that is accepted; `fields` replace its own. */
export function priorAuthorization(fields: Partial<PriorAuthorizationRequest> = {}): PriorAuthorizationRequest {
  return {
    patient,
    provider,
    insurance_content: { member_number: 'M-1', rx_bin: '610011' },
    prescription: {
      drug_name: 'Examplumab',
      strength: '10 mg',
      dose_form: 'pen',
      route_of_administration: 'subcutaneous',
      directions: 'once a week',
      quantity: 4,
      days_supply: 28,
      prescription_date: '2026-03-01T09:00:00Z',
    },
    diagnoses: [{ code: 'E66.9' }],
    mock_result: { result: 'Approved' },
    ...fields,
  }
}

/** The part of a PA request that lets the prescription travel to a pharmacy. */
export const ndpSubmission = {
  prescription_message_id: 'rx-1',
  ignore_eligibility_check_error: false,
  preferred_pharmacy_ncpdp_id: '0123456',
}

/** A BV request that is accepted; `fields` replace its own. */
export function benefitVerification(fields: Partial<BenefitVerificationRequest> = {}): BenefitVerificationRequest {
  return {
    patient,
    provider,
    insurance_content: { member_number: 'M-1' },
    drugs: [
      { name: 'Examplumab', dosage: '10 mg', quantity: 4 },
      { ndc: '12345-6789-01', quantity: 1 },
    ],
    ...fields,
  }
}
