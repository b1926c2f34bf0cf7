import type {
  CodeableConcept,
  CoverageEligibilityResponseInsuranceItem,
  CoverageEligibilityResponseInsuranceItemBenefit,
} from 'fhir/r4.js'
import type { BenefitVerification, BenefitVerificationDrug } from 'pawl-client/schemas/benefit-verification'
import { answered } from './coverage.ts'
import { drugConcept, verifiedDrug } from './drug.ts'
import { filled, join, text } from '../../primitives.ts'

/** A BV's findings on one drug. No category: FHIR allows it only instead of the product (invariant ces-1). */
export function toEligibilityItem(
  bv: BenefitVerification,
  drug: BenefitVerificationDrug,
): CoverageEligibilityResponseInsuranceItem {
  return {
    productOrService: drugConcept(verifiedDrug(drug)) ?? { text: 'Not stated' },
    excluded: either(drug.coverage, { yes: 'not_covered', no: 'covered' }),
    description: descriptionOf(bv, drug),
    benefit: filled(benefitsOf(drug)),
    authorizationRequired: either(drug.prior_authorization_required, { yes: 'yes', no: 'no' }),
  }
}

/** Maps two values to a boolean; any other value leaves the element out. */
function either(value: string | undefined, meaning: { yes: string; no: string }): boolean | undefined {
  if (value === meaning.yes) return true
  return value === meaning.no ? false : undefined
}

/** Answers without an element of their own, each with its field name. */
function descriptionOf(bv: BenefitVerification, drug: BenefitVerificationDrug): string | undefined {
  const findings = Object.entries({
    ...drug.determination_details,
    // Without it, a reader of "authorization required" would request another one.
    has_active_prior_auth: drug.has_active_prior_auth,
    quantity: drug.quantity,
    pharmacy_benefit_manager: text(bv.pharmacy_benefit_manager_name),
    plan_type: answered(bv.patient_coverage_type),
    plan_funding: answered(bv.patient_plan_fund_source),
    patient_coverage: bv.patient_coverage_status === 'covered' ? undefined : text(bv.patient_coverage_status),
  })
  const told = findings.map(([name, value]) => {
    if (typeof value === 'boolean') return `${name}: ${value ? 'yes' : 'no'}`
    return typeof value === 'string' || typeof value === 'number' ? `${name}: ${value}` : undefined
  })
  return join([drug.coverage_detail_code, ...told], '; ')
}

function benefitsOf(drug: BenefitVerificationDrug): CoverageEligibilityResponseInsuranceItemBenefit[] {
  const options = (drug.copay_options ?? []).map(({ amount_cents, supply_duration_days: days }) => ({
    type: copay(days === undefined ? undefined : `Copay per ${days}-day supply`),
    allowedMoney: { value: amount_cents / 100, currency: 'USD' },
  }))
  const stated = text(drug.copay)
  return stated === undefined ? options : [...options, { type: copay(), allowedString: stated }]
}

function copay(label?: string): CodeableConcept {
  return { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/benefit-type', code: 'copay' }], text: label }
}
