import type { CoverageEligibilityResponse } from 'fhir/r4.js'
import type { BenefitVerification, BenefitVerificationDrug } from '../../../src/service/schemas/benefit-verification.ts'
import { patientOf } from '../../support/charts/patient-of.ts'
import type { Chart } from '../../support/charts/start-chart.ts'
import { absent, currentDocuments, ownNameOf, takes, textOf } from './chart-reading.ts'
import type { BenefitVerificationMatter, Expected } from './expectations.ts'

/** What is wrong with what a chart holds of one BV. */
export function benefitVerificationFaults(chart: Chart, base: string, matter: BenefitVerificationMatter): string[] {
  const { resource } = matter
  const named = <T extends 'CoverageEligibilityResponse' | 'DocumentReference'>(type: T) =>
    chart.all(type).filter((each) => {
      const name = ownNameOf(each, base)
      return name?.kind === 'benefit-verification' && name.value === resource.id
    })
  const faults: string[] = []
  if (takes(chart, 'CoverageEligibilityResponse', 'create'))
    faults.push(...responseFaults(named('CoverageEligibilityResponse')[0], resource))
  if (takes(chart, 'DocumentReference', 'create')) {
    const documents = currentDocuments(named('DocumentReference'))
    if (documents.length !== 1) faults.push(`${documents.length} documents`)
    else faults.push(...textFaults(documents.map(textOf).join('\n'), resource))
  }
  return faults.map((fault) => `${resource.id} (${resource.status}): ${fault}`)
}

const outcomes: Partial<Record<string, CoverageEligibilityResponse['outcome']>> = {
  pending: 'queued',
  completed: 'complete',
  failed: 'error',
}
const outOfForce: readonly (string | undefined)[] = [
  'patient_not_found',
  'coverage_expired',
  'coverage_not_started',
  'patient_not_covered_unspecified',
]

function responseFaults(response: CoverageEligibilityResponse | undefined, bv: BenefitVerification): string[] {
  if (response === undefined) return ['no CoverageEligibilityResponse']
  if (bv.status === 'cancelled') return response.status === 'cancelled' ? [] : ['it is not cancelled']
  const wanted = outcomes[bv.status]
  const inforce = response.insurance?.[0]?.inforce
  const isOut = outOfForce.includes(bv.patient_coverage_status)
  const wantedInforce = bv.patient_coverage_status === 'covered' ? true : isOut ? false : undefined
  const items = response.insurance?.flatMap(({ item = [] }) => item) ?? []
  const drugs = bv.status === 'completed' ? (bv.drugs ?? []) : []
  return [
    ...(response.outcome === wanted ? [] : [`it says ${response.outcome}`]),
    ...(inforce === wantedInforce ? [] : [`inforce is ${inforce}, not ${wantedInforce}`]),
    ...drugs.flatMap((drug) => {
      const item = items.find((each) => JSON.stringify(each).includes(drug.name ?? ''))
      if (item === undefined) return [`no item for ${drug.name}`]
      const amounts = (item.benefit ?? []).flatMap(({ allowedMoney }) => allowedMoney?.value ?? [])
      const missing = (drug.copay_options ?? []).filter(({ amount_cents }) => !amounts.includes(amount_cents / 100))
      return [
        ...(item.excluded === excluded(drug) ? [] : [`${drug.name}: excluded is ${item.excluded}`]),
        ...missing.map(({ amount_cents }) => `${drug.name}: no copay of ${amount_cents} cents`),
      ]
    }),
  ]
}

function excluded({ coverage }: BenefitVerificationDrug): boolean | undefined {
  if (coverage === 'not_covered') return true
  return coverage === 'covered' ? false : undefined
}

function textFaults(text: string, bv: BenefitVerification): string[] {
  const isOver = bv.status === 'completed'
  const drugs = bv.drugs ?? []
  return [
    ...drugs.flatMap(({ name }) => absent(text, name, 'document')),
    ...(isOver && drugs.some(({ coverage }) => coverage === 'not_covered') && !/not covered/i.test(text)
      ? ['the document does not say that a drug is not covered']
      : []),
    ...(isOver ? drugs.flatMap(({ copay_options = [] }) => copay_options) : []).flatMap(({ amount_cents }) =>
      absent(text, (amount_cents / 100).toFixed(2), 'document'),
    ),
    ...(bv.status === 'failed' ? absent(text, bv.error?.message, 'document') : []),
  ]
}

/** What is wrong with the Coverages of all BVs: where a BV found it in force, a patient has one for each member number; nobody has one that no BV named. */
export function coverageFaults({ chart, base, matters }: Expected): string[] {
  if (!takes(chart, 'Coverage', 'create')) return []
  const named = (isWanted: (bv: BenefitVerification) => boolean) =>
    matters.flatMap(({ kind, resource, patientId }) =>
      kind === 'benefit_verification' && isWanted(resource)
        ? memberNumbers(resource).map((number) => `${patientId} ${number}`)
        : [],
    )
  const wanted = new Set(named((bv) => bv.status === 'completed' && bv.patient_coverage_status === 'covered'))
  const allowed = named(() => true)
  const held = chart
    .all('Coverage')
    .filter((each) => ownNameOf(each, base) !== undefined)
    .map((each) => `${patientOf(each)} ${each.subscriberId}`)
  return [
    ...[...wanted].filter((each) => !held.includes(each)).map((each) => `no Coverage: ${each}`),
    ...held.filter((each, index) => held.indexOf(each) !== index).map((each) => `several Coverages: ${each}`),
    ...held.filter((each) => !allowed.includes(each)).map((each) => `a Coverage too many: ${each}`),
  ]
}

function memberNumbers({ insurance = [] }: BenefitVerification): string[] {
  return insurance.flatMap(({ discrete_content, scanned_content }) => {
    const number = discrete_content?.member_number ?? scanned_content?.member_number
    return number ?? []
  })
}
