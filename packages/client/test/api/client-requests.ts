import type { BenefitVerificationRequest } from '../../src/schemas/benefit-verification.ts'
import type { ClinicalQualificationRequest } from '../../src/schemas/clinical-qualification.ts'
import type { PriorAuthorizationRequest } from '../../src/schemas/prior-authorization-request.ts'
import { dispensing, patient as sample, provider } from '../../../sandbox/src/sample-requests.ts'

const patient = { ...sample, address: { ...sample.address, country: 'US' } }
const diagnoses = [{ code: 'E66.9' }]

export const priorAuthorizationRequest: PriorAuthorizationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'M-1', payer_name: 'Example Plan' },
  prescription: { ndc: '12345-6789-01', ...dispensing },
  diagnoses,
}

export const benefitVerificationRequest: BenefitVerificationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'M-1' },
  drugs: [{ name: 'Examplumab', dosage: '10 mg', quantity: 4 }, { ndc: '12345678901' }, { name: 'Placebol' }],
  diagnoses,
}

export const clinicalQualificationRequest: ClinicalQualificationRequest = {
  patient,
  provider,
  drugs: [{ drug_name: 'Examplumab', dose_form: 'Injection, solution' }],
  diagnoses,
}
