import {
  type BenefitVerificationCase,
  type BenefitVerificationRequest,
  type VerifiedDrug,
} from 'pawl-client/schemas/benefit-verification'
import type { Random } from '../platform/random.ts'
import { testValues } from '../platform/test-values.ts'

type RequestedDrug = BenefitVerificationRequest['drugs'][number]
export type CoverageDetailCode = NonNullable<VerifiedDrug['coverage_detail_code']>

/** Case and detail code of a test value in a drug's name or NDC; undefined without one. */
export function requestedDetail(
  drug: RequestedDrug,
): { case: BenefitVerificationCase; detailCode: CoverageDetailCode } | undefined {
  if (isDrugOf(drug, testValues.diagnosesNotCovered))
    return { case: 'drugs_not_covered__prior_auth_na__no_copay', detailCode: 'diagnoses_not_covered' }
  if (isDrugOf(drug, testValues.quantityLimit))
    return { case: 'drugs_covered__prior_auth_required__has_copay', detailCode: 'quantity_limit_pa_required' }
  return undefined
}

/** Draws a detail code that fits the findings. */
export function drawDetailCode(
  { coverage, prior_authorization_required: required }: Pick<VerifiedDrug, 'coverage' | 'prior_authorization_required'>,
  random: Random,
): CoverageDetailCode {
  if (coverage === 'not_covered' && random.chance(0.3)) return 'diagnoses_not_covered'
  if (coverage === 'covered' && required === 'yes' && random.chance(0.2)) return 'quantity_limit_pa_required'
  return 'insurer_reported_value'
}

function isDrugOf(drug: RequestedDrug, [name, ndc]: readonly [name: string, ndc: string]): boolean {
  return 'ndc' in drug ? digits(drug.ndc) === digits(ndc) : drug.name === name
}

const digits = (ndc: string) => ndc.replaceAll('-', '')
