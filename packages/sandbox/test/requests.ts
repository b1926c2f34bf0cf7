import type { BenefitVerificationRequest } from '../../client/src/schemas/benefit-verification.ts'
import type { ClinicalQualificationRequest } from '../../client/src/schemas/clinical-qualification.ts'
import type { PaStatusRequest } from '../../client/src/schemas/pa-status.ts'
import type { PriorAuthorizationRequest } from '../../client/src/schemas/prior-authorization-request.ts'
import { patient, prescription, provider } from '../src/sample-requests.ts'

export { ndpSubmission } from '../src/sample-requests.ts'

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
