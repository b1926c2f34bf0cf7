import type { BenefitVerificationRequest } from '../../service/schemas/benefit-verification.ts'
import type { PriorAuthorizationRequest } from '../../service/schemas/prior-authorization-request.ts'
import { patient, prescription, provider } from '../../sandbox/sample-requests.ts'

/** A PA request; `fields` add to it. */
export function priorAuthorizationRequest(fields: Partial<PriorAuthorizationRequest>): PriorAuthorizationRequest {
  return {
    patient,
    provider,
    insurance_content: {
      member_number: 'DEMO-0001',
      rx_bin: '610011',
      rx_pcn: 'DEMO',
      rx_group: 'DEMO01',
      payer_name: 'Example Health',
    },
    prescription,
    diagnoses: [{ code: 'E66.9' }],
    ...fields,
  }
}

/** A BV of three drugs. */
export const benefitVerificationRequest: BenefitVerificationRequest = {
  patient,
  provider,
  insurance_content: { member_number: 'DEMO-0001', rx_bin: '610011', rx_pcn: 'DEMO', rx_group: 'DEMO01' },
  diagnoses: [{ code: 'E66.9' }],
  drugs: [
    { name: 'Examplumab', dosage: '10 mg', quantity: 4 },
    { name: 'Placebomycin', dosage: '250 mg', quantity: 30 },
    { ndc: '12345-6789-01', quantity: 1 },
  ],
  mock_result: { status: 'completed', case: 'drugs_covered__prior_auth_required__has_copay' },
}
