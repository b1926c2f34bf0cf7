import {
  type BenefitVerificationCase,
  type BenefitVerificationRequest,
  type BenefitVerificationResource,
} from 'pawl-client/schemas/benefit-verification'
import type { PriorAuthorizationRequest } from 'pawl-client/schemas/prior-authorization-request'
import type { Verdict } from './pa-verdict.ts'

/** Request for a PA's BV: the prescribed drug first, then the alternatives (specification, Prior authorization create request). */
export function triggeredRequest(request: PriorAuthorizationRequest): BenefitVerificationRequest | undefined {
  const {
    trigger_benefit_verification: trigger,
    prescription,
    patient,
    provider,
    insurance,
    insurance_content,
  } = request
  if (trigger?.enabled !== true) return undefined
  const prescribed =
    'ndc' in prescription
      ? { ndc: prescription.ndc, quantity: prescription.quantity }
      : { name: prescription.drug_name, dosage: prescription.strength, quantity: prescription.quantity }
  return {
    patient,
    provider,
    drugs: [prescribed, ...(trigger.additional_medications ?? [])],
    preferred_processing_mode: 'realtime',
    ...(insurance && { insurance }),
    ...(insurance_content && { insurance_content }),
    ...(request.diagnoses && { diagnoses: request.diagnoses }),
  }
}

/** The BV's cases per drug, if the PA's `mock_result` decides them; undefined leaves them to chance. */
export function mockedCases(
  { mock_result }: PriorAuthorizationRequest,
  drugs: readonly unknown[],
): BenefitVerificationCase[] | undefined {
  if (mock_result === undefined) return undefined
  const [prescribed, alternatives] = casesByCode[mock_result.detail_code ?? ''] ?? [required, required]
  return drugs.map((_drug, index) => (index === 0 ? prescribed : alternatives))
}

const required = 'drugs_covered__prior_auth_required__has_copay'
const uncovered = 'drugs_not_covered__prior_auth_na__no_copay'
const notRequired = 'drugs_covered__prior_auth_not_required__has_copay'

/** Cases of the prescribed drug and of the alternatives, by the detail code with which the BV stops the PA. */
const casesByCode: Record<string, [BenefitVerificationCase, BenefitVerificationCase] | undefined> = {
  benefit_verification_no_medication_coverage: [uncovered, uncovered],
  benefit_verification_only_alternative_medication_covered: [uncovered, required],
  benefit_verification_pa_not_required: [notRequired, notRequired],
}

/** Verdict of a PA that its BV stops. Undefined: the PA continues, even if the BV failed (specification, States). */
export function verificationStop({ status, drugs }: BenefitVerificationResource): Verdict | undefined {
  const [prescribed, ...alternatives] = drugs
  if (status !== 'completed' || prescribed === undefined) return undefined
  const stop = (detail_code: Verdict['detail_code']): Verdict => ({ result: 'Not Submitted', detail_code })
  if (prescribed.coverage === 'covered')
    return prescribed.prior_authorization_required === 'no' ? stop('benefit_verification_pa_not_required') : undefined
  return alternatives.some(({ coverage }) => coverage === 'covered')
    ? stop('benefit_verification_only_alternative_medication_covered')
    : stop('benefit_verification_no_medication_coverage')
}
