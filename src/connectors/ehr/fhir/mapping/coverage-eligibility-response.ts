import type {
  CodeableConcept,
  CoverageEligibilityResponse,
  CoverageEligibilityResponseInsuranceItem,
  CoverageEligibilityResponseInsuranceItemBenefit,
} from 'fhir/r4.js'
import type { BenefitVerification, BenefitVerificationDrug } from '../../../../resources/benefit-verification.ts'
import { payerName } from './coverage.ts'
import { text } from './primitives.ts'
import { identifierOf, patientReference, referenceTo } from './references.ts'

/** What a BV found out. `previous` is what the chart holds, whose date is kept; `now` is an ISO date-time. */
export function toCoverageEligibilityResponse(
  base: string,
  benefitVerification: BenefitVerification,
  { previous, now }: { previous: CoverageEligibilityResponse | undefined; now: string },
): CoverageEligibilityResponse {
  const identifier = identifierOf(base, 'benefit-verification', benefitVerification.id)
  const items = (benefitVerification.drugs ?? []).map(toItem)
  const error = errorText(benefitVerification.error)
  return {
    resourceType: 'CoverageEligibilityResponse',
    identifier: [identifier],
    status: benefitVerification.status === 'cancelled' ? 'cancelled' : 'active',
    purpose: ['benefits', 'auth-requirements'],
    patient: patientReference(base, benefitVerification.patient),
    created: previous?.created ?? now,
    request: referenceTo('CoverageEligibilityRequest', identifier),
    outcome: outcomeOf(benefitVerification.status),
    disposition: text(benefitVerification.status_description),
    insurer: { type: 'Organization', display: payerName(benefitVerification.insurance) ?? 'Not stated' },
    insurance: [
      {
        coverage: referenceTo('Coverage', identifier),
        inforce: inforce(benefitVerification.patient_coverage_status),
        item: items.length === 0 ? undefined : items,
      },
    ],
    error: error === undefined ? undefined : [{ code: { text: error } }],
  }
}

/** A BV that was cancelled or whose status is unknown never had an outcome. */
function outcomeOf(status: string): CoverageEligibilityResponse['outcome'] {
  if (status === 'completed') return 'complete'
  return status === 'failed' ? 'error' : 'queued'
}

const notInForce: readonly string[] = [
  'patient_not_found',
  'coverage_expired',
  'coverage_not_started',
  'patient_not_covered_unspecified',
  'human_unable_to_answer',
  'missing_from_transcript',
]

function inforce(status: string | undefined): boolean | undefined {
  if (status === 'covered') return true
  return status !== undefined && notInForce.includes(status) ? false : undefined
}

/** No category: FHIR allows it only instead of the product (invariant ces-1). */
function toItem(drug: BenefitVerificationDrug): CoverageEligibilityResponseInsuranceItem {
  const benefit = benefitsOf(drug)
  return {
    productOrService: productOf(drug),
    excluded: either(drug.coverage, { yes: 'not_covered', no: 'covered' }),
    description: descriptionOf(drug),
    benefit: benefit.length === 0 ? undefined : benefit,
    authorizationRequired: either(drug.prior_authorization_required, { yes: 'yes', no: 'no' }),
  }
}

/** Two values have a meaning; any other, and none, leaves the element out. */
function either(value: string | undefined, meaning: { yes: string; no: string }): boolean | undefined {
  if (value === meaning.yes) return true
  return value === meaning.no ? false : undefined
}

function productOf(drug: BenefitVerificationDrug): CodeableConcept {
  const name = [text(drug.name), text(drug.dosage)].filter((part) => part !== undefined).join(' ')
  const ndc = text(drug.ndc)
  if (ndc === undefined) return { text: text(name) ?? 'Not stated' }
  return { coding: [{ system: 'http://hl7.org/fhir/sid/ndc', code: ndc }], text: text(name) }
}

function descriptionOf(drug: BenefitVerificationDrug): string | undefined {
  const found = Object.entries(drug.determination_details ?? {})
    .filter(([, value]) => typeof value === 'boolean')
    .map(([name, value]) => `${name}: ${value ? 'yes' : 'no'}`)
  return text([text(drug.coverage_detail_code), ...found].filter((part) => part !== undefined).join('; '))
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

function errorText(error: BenefitVerification['error']): string | undefined {
  const parts = [text(error?.code) ?? text(error?.title), text(error?.detail_code)]
  return text(parts.filter((part) => part !== undefined).join(': '))
}
