import type { Random } from '../platform/random.ts'
import type { CoverageDetailCode } from './drug-findings.ts'
import { usualFindings } from './findings.ts'
import type { BenefitVerificationResource, VerifiedDrug } from 'pawl-client/schemas/benefit-verification'
import { type BenefitVerificationScript, type CaseResult, caseResults } from './script.ts'

/** Fills in the results of a completed BV. */
export function showResults(
  resource: BenefitVerificationResource,
  script: BenefitVerificationScript,
  random: Random,
): void {
  const { coverageStatus, fundSource, coverageType } = script.findings ?? usualFindings
  resource.patient_coverage_status = coverageStatus
  resource.review_status = 'reviewed'
  resource.pharmacy_benefit_manager_name = 'Sample Benefits Management'
  resource.patient_plan_fund_source = fundSource
  resource.patient_coverage_type = coverageType
  resource.drugs.forEach((drug, index) => {
    const result = caseResults[script.cases[index] ?? 'drugs_covered__prior_auth_required__has_copay']
    if (result !== undefined) showDrug(drug, result, script.detailCodes?.[index] ?? 'insurer_reported_value', random)
  })
}

function showDrug(drug: VerifiedDrug, result: CaseResult, detailCode: CoverageDetailCode, random: Random): void {
  const { hasCopay, ...shown } = result
  const isCovered = result.coverage === 'covered'
  const cents = Math.round(random.between(5, 80)) * 100
  Object.assign(drug, shown)
  drug.coverage_detail_code = detailCode
  drug.copay = hasCopay ? `$${(cents / 100).toFixed(2)}` : null
  drug.copay_options = hasCopay
    ? [
        { amount_cents: cents, supply_duration_days: 30 },
        { amount_cents: cents * 2, supply_duration_days: 90 },
      ]
    : []
  drug.determination_details = {
    is_on_formulary: isCovered,
    is_explicit_plan_exclusion: !isCovered && detailCode !== 'diagnoses_not_covered',
    is_prior_auth_acting_as_exception_request: detailCode === 'quantity_limit_pa_required',
  }
}
