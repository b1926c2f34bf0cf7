import type { Coverage, CoverageClass } from 'fhir/r4.js'
import type { BenefitVerification } from 'pawl-client/schemas/benefit-verification'
import type { MappingContext } from './context.ts'
import { type Insurance, insuranceOf } from './insurance-of.ts'
import { filled, text } from '../../primitives.ts'
import { identifierOf, type NamedIdentifier } from './references.ts'

const terminology = 'http://terminology.hl7.org/CodeSystem'
const classSystem = `${terminology}/coverage-class`

/**
 * Identifies one patient's insurance across all BVs; undefined without patient id or member number.
 * A digest, since identifiers appear in URLs, where no member number belongs; keyed, since member numbers are short.
 */
export function coverageIdentifier(
  { base, digest }: Pick<MappingContext, 'base' | 'digest'>,
  bv: BenefitVerification,
): NamedIdentifier | undefined {
  const patient = text(bv.patient?.internal_id)
  const member = insuranceOf(bv.insurance).member_number
  if (patient === undefined || member === undefined) return undefined
  return identifierOf(base, 'coverage', digest(JSON.stringify(['coverage', patient, member.trim()])))
}

/** The insurance of a BV as a Coverage; undefined if it cannot be identified. `previous` is the chart's current one. */
export function toCoverage(
  context: MappingContext,
  bv: BenefitVerification,
  previous?: Coverage,
): Coverage | undefined {
  const identifier = coverageIdentifier(context, bv)
  if (identifier === undefined) return undefined
  const insurance = insuranceOf(bv.insurance)
  return {
    resourceType: 'Coverage',
    identifier: [identifier],
    status: statuses.get(bv.patient_coverage_status) ?? previous?.status ?? 'draft',
    type: coverageType(bv) ?? previous?.type,
    subscriberId: insurance.member_number,
    beneficiary: context.patient,
    relationship: { coding: [{ system: `${terminology}/subscriber-relationship`, code: 'self' }] },
    payor: payorOf(insurance.payer_name, previous),
    class: filled(classesOf(insurance, previous?.class ?? [])),
  }
}

/** By the BV's finding; without one, the coverage keeps its status. */
const statuses: ReadonlyMap<string | undefined, Coverage['status']> = new Map([
  ['covered', 'active'],
  ['coverage_not_started', 'draft'],
  ['coverage_expired', 'cancelled'],
  ['patient_not_found', 'cancelled'],
  ['patient_not_covered_unspecified', 'cancelled'],
])

/** Answers without information about the plan (supplement, BV). */
const unanswered: readonly string[] = ['question_not_asked', 'unable_to_determine']

/** The payer's answer; undefined if the question was not asked or not answered. */
export function answered(value: string | undefined): string | undefined {
  return value !== undefined && unanswered.includes(value) ? undefined : text(value)
}

function coverageType({ patient_coverage_type }: BenefitVerification): Coverage['type'] {
  const type = answered(patient_coverage_type)
  return type === undefined ? undefined : { text: type }
}

function payorOf(name: string | undefined, previous: Coverage | undefined): Coverage['payor'] {
  return name === undefined && previous !== undefined
    ? previous.payor
    : [{ type: 'Organization', display: name ?? 'Not stated' }]
}

const classCodes = {
  rxbin: 'rx_bin',
  rxpcn: 'rx_pcn',
  rxgroup: 'rx_group',
  group: 'group_number',
  plan: 'plan_name',
} as const satisfies Record<string, keyof Insurance>

/** One card rarely shows all classes: those of earlier BVs and of staff stay. */
function classesOf(insurance: Insurance, held: readonly CoverageClass[]): CoverageClass[] {
  const own = Object.entries(classCodes).flatMap(([code, field]) => {
    const value = insurance[field]
    if (value === undefined) return held.filter((each) => codeOf(each) === code)
    return [{ type: { coding: [{ system: classSystem, code }] }, value }]
  })
  return [...own, ...held.filter((each) => !Object.hasOwn(classCodes, codeOf(each) ?? ''))]
}

function codeOf({ type }: CoverageClass): string | undefined {
  return type.coding?.find(({ system }) => system === classSystem)?.code
}
