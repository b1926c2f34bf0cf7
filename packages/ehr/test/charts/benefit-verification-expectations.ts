import type { CoverageEligibilityResponse } from 'fhir/r4.js'
import type { BenefitVerification, BenefitVerificationDrug } from '../../../client/src/schemas/benefit-verification.ts'
import { patientOf } from '../../../../test/support/charts/patient-of.ts'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { absent, currentDocuments, getsStates, ownNameOf, takes, textOf, unlabelled } from './chart-reading.ts'
import type { BenefitVerificationMatter, Expected } from './expectations.ts'

/** Faults of the chart's content about one BV. */
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
    const isWanted = getsStates(chart) || ['completed', 'failed', 'cancelled'].includes(resource.status)
    if (documents.length !== (isWanted ? 1 : 0)) faults.push(`${documents.length} documents`)
    else if (isWanted) faults.push(...textFaults(documents.map(textOf).join('\n'), resource))
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
        ...(item.authorizationRequired === isAuthorizationRequired(drug)
          ? []
          : [`${drug.name}: authorizationRequired is ${item.authorizationRequired}`]),
        ...missing.map(({ amount_cents }) => `${drug.name}: no copay of ${amount_cents} cents`),
      ]
    }),
  ]
}

function excluded({ coverage }: BenefitVerificationDrug): boolean | undefined {
  if (coverage === 'not_covered') return true
  return coverage === 'covered' ? false : undefined
}

function isAuthorizationRequired({ prior_authorization_required: answer }: BenefitVerificationDrug) {
  return answer === 'yes' ? true : answer === 'no' ? false : undefined
}

function textFaults(text: string, bv: BenefitVerification): string[] {
  const drugs = bv.drugs ?? []
  const said = [
    bv.status,
    bv.status_description,
    bv.patient_coverage_status,
    bv.error?.code,
    bv.error?.message,
    bv.insurance?.[0]?.discrete_content?.payer_name,
    ...memberNumbers(bv),
    ...(bv.diagnoses ?? []).map(({ code }) => code),
  ]
  return [
    ...said.flatMap((value) => absent(text, value, 'document')),
    ...drugs.flatMap((drug, at) => drugFaults(partOf(text, drugs, at), drug).map((fault) => `${drug.name}: ${fault}`)),
  ]
}

/** The part of a document about one drug: from its heading, where its name stands last, to that of the next one. */
function partOf(text: string, drugs: readonly BenefitVerificationDrug[], at: number): string {
  const [from = -1, to = -1] = [drugs[at], drugs[at + 1]].map((drug) => (drug ? text.lastIndexOf(drug.name ?? '') : -1))
  return from === -1 ? '' : text.slice(from, to > from ? to : undefined)
}

const coverages: Partial<Record<string, string>> = { covered: 'covered', not_covered: 'not covered' }
const authorizations: Partial<Record<string, string>> = {
  yes: 'prior authorization required',
  no: 'no prior authorization required',
  not_applicable: 'prior authorization not applicable',
}
const yesOrNo = (is: boolean | undefined) => (is === undefined ? undefined : is ? 'Yes' : 'No')

function drugFaults(part: string, drug: BenefitVerificationDrug): string[] {
  const { name, dosage, quantity, coverage = '', coverage_detail_code, copay_options = [] } = drug
  return [
    ...[name, dosage, coverage_detail_code].flatMap((value) => absent(part, value, 'document')),
    ...unlabelled(part, 'Quantity', quantity),
    ...unlabelled(part, 'Coverage', coverages[coverage]),
    ...unlabelled(part, 'Authorization', authorizations[drug.prior_authorization_required ?? '']),
    ...unlabelled(part, 'On formulary', yesOrNo(drug.determination_details?.is_on_formulary)),
    // A PDF breaks the line of this label.
    ...unlabelled(part, 'Excluded by the( plan)?', yesOrNo(drug.determination_details?.is_explicit_plan_exclusion)),
    ...copay_options.flatMap(({ amount_cents, supply_duration_days: days }) =>
      absent(part, `$${(amount_cents / 100).toFixed(2)} per ${days} days`, 'document'),
    ),
  ]
}

/** Faults of the Coverages of all BVs: where a BV found it in force, a patient has one for each member number; a BV names every one held. */
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
