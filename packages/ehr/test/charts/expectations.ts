import type { FhirResource } from 'fhir/r4.js'
import type { ChartFile, ChartNote } from '../../src/ehr.ts'
import type { BenefitVerification } from '../../../client/src/schemas/benefit-verification.ts'
import type { PriorAuthorization } from '../../../client/src/schemas/prior-authorization.ts'
import { patientOf } from '../../../../test/support/charts/patient-of.ts'
import type { Held } from '../../../../test/support/charts/chart-store.ts'
import type { ResourceType } from '../../../../test/support/charts/profile.ts'
import type { Chart } from '../../../../test/support/charts/start-chart.ts'
import { benefitVerificationFaults, coverageFaults } from './benefit-verification-expectations.ts'
import { currentDocuments, duplicatesIn, isAbout, ownNameOf, ownResources, wordsOf } from './chart-reading.ts'
import { filingFaults } from './filing-expectations.ts'
import { priorAuthorizationFaults } from './prior-authorization-expectations.ts'

/** Expected end of a staff task. */
export type StaffTaskEnd = 'requested' | 'in-progress' | 'completed' | 'cancelled'

interface AnyMatter {
  /** The patient's id in the chart. */
  patientId: string
  /** The id before the record was merged, or deleted and entered again: replaced documents stay there. */
  formerPatientId?: string | undefined
  files?: readonly ChartFile[]
  notes?: readonly ChartNote[]
  /** Types of what its runs left out. */
  leftOut: readonly string[]
}

/** A PA as the service shows it in the end, and what was to be done about it. */
export interface PriorAuthorizationMatter extends AnyMatter {
  kind: 'prior_authorization'
  resource: PriorAuthorization
  /** The statuses that the gateway saw before the last, oldest first. */
  earlier: readonly string[]
  staffTask?: StaffTaskEnd | undefined
}

/** A BV as the service shows it in the end. */
export interface BenefitVerificationMatter extends AnyMatter {
  kind: 'benefit_verification'
  resource: BenefitVerification
}

export type Matter = PriorAuthorizationMatter | BenefitVerificationMatter

/** A chart, the gateway's identifier base without a slash at its end, and everything that the gateway should have brought into the chart. */
export interface Expected {
  chart: Chart
  base: string
  matters: readonly Matter[]
}

/**
 * Faults of a chart, one line each. It is held against the service's resources alone, as far as its profile can take them: everything is there
 * once, complete, and in the right patient's chart; nothing else is there under the gateway's names.
 */
export function chartFaults(asked: Expected): string[] {
  const { base, matters } = asked
  const chart = readOnce(asked.chart)
  const expected = { ...asked, chart }
  const own = ownResources(chart, base)
  const current = new Set(currentDocuments(chart.all('DocumentReference')).map(({ id }) => id))
  const isReplaced = ({ resourceType, id }: FhirResource) => resourceType === 'DocumentReference' && !current.has(id)
  const isForeign = ({ resourceType }: FhirResource) => chart.profile.foreign?.includes(resourceType) === true
  const faults = [
    ...duplicatesIn(chart, base).map((name) => `several: ${name}`),
    ...own.flatMap((resource) => placeFaults(resource, isReplaced(resource), expected)),
    ...own.filter(isForeign).map(({ resourceType }) => `a ${resourceType}, which means something else there`),
    ...coverageFaults(expected),
    ...matters.flatMap((matter) => [
      ...(matter.kind === 'prior_authorization'
        ? priorAuthorizationFaults(chart, base, matter)
        : benefitVerificationFaults(chart, base, matter)),
      ...filingFaults(chart, base, matter),
    ]),
  ]
  return faults.map((fault) => `${chart.profile.name}: ${fault}`)
}

/** A chart that nobody changes meanwhile: it copies the resources of a type once. */
function readOnce(chart: Chart): Chart {
  const read = new Map<ResourceType, unknown>()
  return {
    ...chart,
    all<T extends ResourceType>(type: T, matches: (held: Held<T>) => boolean = () => true) {
      if (!read.has(type)) read.set(type, chart.all(type))
      // Kept under its own type.
      return (read.get(type) as Held<T>[]).filter(matches)
    },
  }
}

/** The names of all drugs of a matter. */
export function drugsOf({ kind, resource }: Matter): string[] {
  const names =
    kind === 'prior_authorization' ? [resource.prescription?.drug_name] : (resource.drugs ?? []).map(({ name }) => name)
  return names.flatMap((name) => name ?? [])
}

/** Whether a resource stands in the right chart and speaks of nothing else; a Coverage is checked by its member number. */
function placeFaults(resource: FhirResource, isReplaced: boolean, { base, matters }: Expected): string[] {
  if (resource.resourceType === 'Coverage') return []
  const name = ownNameOf(resource, base)
  const label = `${resource.resourceType} ${name?.kind} ${name?.value}`
  const matter = matters.find((each) => isAbout(name, each.resource.id))
  if (matter === undefined) return [`${label}: nobody asked for it`]
  const held = patientOf(resource)
  const isPlaced = held === matter.patientId || (isReplaced && held !== undefined && held === matter.formerPatientId)
  const words = wordsOf(resource)
  const strangers = matters.flatMap((each) => (each === matter ? [] : drugsOf(each)))
  return [
    ...(isPlaced ? [] : [`${label}: stands with patient ${patientOf(resource)}`]),
    ...strangers.filter((drug) => words.includes(drug)).map((drug) => `${label}: speaks of ${drug}`),
  ]
}
