import { BenefitVerificationRequest } from 'pawl-client/schemas/benefit-verification'
import { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import { diagnoses, patient, prescription, provider } from '@pawl/sandbox/sample-requests'

const insurance_content = { member_number: 'M-100', rx_bin: '012345' }

/** A request to create a PA of an invented patient; `mock_result` sets how it ends. Throws where the service would refuse it. */
export function aPriorAuthorizationRequest(
  different: Partial<PriorAuthorizationRequest> = {},
): PriorAuthorizationRequest {
  return PriorAuthorizationRequest.parse({
    patient,
    provider,
    prescription,
    diagnoses,
    insurance_content,
    ...different,
  })
}

/** A request to verify the benefits of an invented patient; `mock_result` sets how it ends. Throws where the service would refuse it. */
export function aBenefitVerificationRequest(
  different: Partial<BenefitVerificationRequest> = {},
): BenefitVerificationRequest {
  const drugs = [{ name: 'Examplumab', dosage: '10 mg', quantity: 4 }]
  return BenefitVerificationRequest.parse({ patient, provider, drugs, diagnoses, insurance_content, ...different })
}
