import type { BenefitVerificationRequest } from '../../src/service/schemas/benefit-verification.ts'
import type { ClinicalQualificationRequest } from '../../src/service/schemas/clinical-qualification.ts'
import type { PaStatusRequest } from '../../src/service/schemas/pa-status.ts'
import type { PriorAuthorizationRequest } from '../../src/service/schemas/prior-authorization-request.ts'
import { patient, prescription, provider } from '../../src/sandbox/sample-requests.ts'

export { ndpSubmission } from '../../src/sandbox/sample-requests.ts'

/** A PA request that is accepted; `fields` replace its own. */
export function priorAuthorization(fields: Partial<PriorAuthorizationRequest> = {}): PriorAuthorizationRequest {
  return {
    patient,
    provider,
    insurance_content: { member_number: 'M-1', rx_bin: '610011' },
    prescription,
    diagnoses: [{ code: 'E66.9' }],
    mock_result: { result: 'Approved' },
    ...fields,
  }
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

/** A request of a clinical qualification of one drug that is accepted. */
export function clinicalQualification(): ClinicalQualificationRequest {
  return { patient, provider, drugs: [{ drug_name: 'Examplumab' }] }
}

/** A request of a PA status check that is accepted. */
export function paStatus(): PaStatusRequest {
  return { patient, provider, insurance_content: { member_number: 'M-1' } }
}
