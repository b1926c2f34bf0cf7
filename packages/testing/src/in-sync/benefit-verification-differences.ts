import type {
  CoverageEligibilityResponseInsuranceItem as Item,
  CoverageEligibilityResponseInsuranceItemBenefit as Benefit,
} from 'fhir/r4.js'
import type { BenefitVerification, BenefitVerificationDrug } from 'pawl-client/schemas/benefit-verification'
import { benefitVerificationNarrative } from '@pawl/ehr/narrative/benefit-verification-narrative'
import { compareDocument } from './document-differences.ts'
import { createDifferences, type Differences, isAbout } from './differences.ts'
import type { Services } from '../services/start-services.ts'

/** A BV's coverage finding; other statuses have none. */
const inForce: Readonly<Record<string, boolean>> = {
  covered: true,
  patient_not_found: false,
  coverage_expired: false,
  coverage_not_started: false,
  patient_not_covered_unspecified: false,
}

/** Compares the chart's resources of a BV, translated back into the service's words, with the service's truth. */
export async function benefitVerificationDifferences(
  { fhir }: { fhir: Pick<Services['fhir'], 'search'> },
  bv: BenefitVerification,
  differences: Differences = createDifferences(),
): Promise<string[]> {
  const { expect, found } = differences
  const responses = await fhir.search('CoverageEligibilityResponse')
  const response = responses.find((candidate) => isAbout(candidate, 'benefit-verification', bv.id))
  const outcomes: Record<string, string> = { pending: 'queued', completed: 'complete', failed: 'error' }
  if (bv.status === 'cancelled') expect('CoverageEligibilityResponse.status', response?.status, 'cancelled')
  else expect('CoverageEligibilityResponse.outcome', response?.outcome, outcomes[bv.status])
  expect('inforce', response?.insurance?.[0]?.inforce, inForce[bv.patient_coverage_status ?? ''])

  const drugs = bv.drugs ?? []
  const items = response?.insurance?.flatMap(({ item }) => item ?? []) ?? []
  expect('number of drugs in the chart', items.length, drugs.length)
  for (const [index, drug] of drugs.entries()) {
    const wanted = termsOfDrug(drug)
    const shown = termsOfItem(items[index] ?? {})
    for (const term of terms) expect(`${wanted.drug}: ${term}`, shown[term], wanted[term])
  }

  const documents = await fhir.search('DocumentReference')
  const document = documents.findLast((each) => isAbout(each, 'benefit-verification', bv.id))
  compareDocument(differences, document, benefitVerificationNarrative(bv))

  const coverages = await fhir.search('Coverage')
  const named = response?.insurance?.[0]?.coverage.identifier?.value
  const coverage = coverages.find((candidate) => isAbout(candidate, 'coverage', named ?? 'none'))
  const card = bv.insurance?.[0]?.discrete_content
  const bin = coverage?.class?.find(({ type }) => type.coding?.[0]?.code === 'rxbin')?.value
  expect('member number in the chart', coverage?.subscriberId === card?.member_number, true)
  expect('Coverage RXBIN', bin, card?.rx_bin)
  return found
}

const terms = ['drug', 'coverage', 'PA requirement', 'copay', 'copays by supply', 'detail'] as const

/** A payer's findings on one drug, in the service's words. */
type Terms = Record<(typeof terms)[number], string | undefined>

function termsOfDrug(drug: BenefitVerificationDrug): Terms {
  const named = [drug.name, drug.dosage].filter((part) => part !== undefined).join(' ')
  return {
    drug: drug.ndc ?? named,
    coverage: drug.coverage,
    'PA requirement':
      drug.prior_authorization_required === 'not_applicable' ? undefined : drug.prior_authorization_required,
    copay: drug.copay,
    'copays by supply': list(
      (drug.copay_options ?? []).map((each) => `${each.supply_duration_days} days: ${each.amount_cents} cents`),
    ),
    detail: drug.coverage_detail_code,
  }
}

function termsOfItem({ productOrService, excluded, authorizationRequired, benefit = [], description }: Item): Terms {
  return {
    // The NDC as sent, regardless of the code.
    drug: /NDC ([\d-]+)/.exec(productOrService?.text ?? '')?.[1] ?? productOrService?.text,
    coverage: choose(excluded, { yes: 'not_covered', no: 'covered' }),
    'PA requirement': choose(authorizationRequired, { yes: 'yes', no: 'no' }),
    copay: benefit.find(({ allowedString }) => allowedString !== undefined)?.allowedString,
    'copays by supply': list(benefit.flatMap(copayOf)),
    // The finding that is a code instead of a name with a value.
    detail: description?.split('; ').find((finding) => !finding.includes(': ')),
  }
}

function copayOf({ type, allowedMoney }: Benefit): string[] {
  if (allowedMoney === undefined) return []
  const { value = 0, currency } = allowedMoney
  const days = /(\d+)-day supply/.exec(type.text ?? '')?.[1]
  const unit = currency === 'USD' ? 'cents' : String(currency)
  return [`${days} days: ${Math.round(value * 100)} ${unit}`]
}

function choose(value: boolean | undefined, words: { yes: string; no: string }): string | undefined {
  if (value === undefined) return undefined
  return value ? words.yes : words.no
}

function list(entries: string[]): string | undefined {
  return entries.length === 0 ? undefined : entries.toSorted().join(', ')
}
