import type { BenefitVerificationRequest } from '../../src/resources/requests/benefit-verification.ts'
import type { ClinicalQualificationRequest } from '../../src/resources/requests/clinical-qualification.ts'
import type { PriorAuthorizationRequest } from '../../src/resources/requests/prior-authorization.ts'

const patient = {
  internal_id: 'p-1',
  first_name: 'Testa',
  last_name: 'Sample',
  gender: 'not_specified',
  date_of_birth: '1980-02-29',
  address: { street: '1 Example Way', city: 'Sampleton', state_province: 'OR', zip_postal_code: '01234' },
} as const
const provider = { first_name: 'Max', last_name: 'Muster', npi: '1234567893', address: {} }

export const priorAuthorizationRequest: PriorAuthorizationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'M-1', payer_name: 'Example Plan' },
  prescription: {
    ndc: '12345-6789-01',
    directions: 'once a day',
    quantity: 30,
    days_supply: 30,
    prescription_date: '2026-03-01T09:00:00Z',
  },
}

export const benefitVerificationRequest: BenefitVerificationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'M-1' },
  drugs: [{ name: 'Examplumab', dosage: '10 mg', quantity: 4 }, { ndc: '12345678901' }, { name: 'Placebol' }],
}

export const clinicalQualificationRequest: ClinicalQualificationRequest = {
  patient,
  provider,
  drugs: [{ drug_name: 'Examplumab' }],
}
