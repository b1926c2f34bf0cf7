import type { FhirResource } from 'fhir/r4.js'
import { everything } from './everything.ts'
import type { ChartProfile } from './profile.ts'

/** A chart that refuses documents with a category, as no profile knows, while `isStrict` says so. */
export function refusingCategory(isStrict: () => boolean = () => true): ChartProfile {
  const { DocumentReference: documents } = everything.types
  if (documents === undefined) throw new Error('The chart has documents.')
  const objection = (resource: FhirResource) =>
    isStrict() && resource.resourceType === 'DocumentReference' && resource.category !== undefined
      ? 'category'
      : undefined
  return { ...everything, types: { ...everything.types, DocumentReference: { ...documents, objection } } }
}
