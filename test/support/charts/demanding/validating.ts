import type { FhirResource } from 'fhir/r4.js'
import { everything } from '../everything.ts'
import type { ChartProfile, TypeRules } from '../profile.ts'

/** Medplum, which takes all of R4 and validates it. */
export const validatingMedplum: ChartProfile = { ...everything, name: 'Medplum', software: 'medplum' }

const rules: TypeRules = everything.types.DocumentReference ?? {
  interactions: [],
  searchParams: [],
  versioning: 'versioned',
}

/** A server that holds documents to US Core 6.1. */
export const validatingUsCore: ChartProfile = {
  ...everything,
  name: 'US Core',
  pawlProfile: 'us-core',
  types: { ...everything.types, DocumentReference: { ...rules, objection } },
}

const category = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category'

function objection(resource: FhirResource): string | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  const { type, category: categories = [], subject, content } = resource
  const isCategorised = categories.some(({ coding }) => coding?.some(({ system }) => system === category))
  const isAttached = content.every(
    ({ attachment }) => attachment.contentType !== undefined && attachment.data !== undefined,
  )
  return type !== undefined && isCategorised && subject !== undefined && isAttached ? undefined : 'not US Core'
}
