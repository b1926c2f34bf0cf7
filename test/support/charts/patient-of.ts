import type { FhirResource } from 'fhir/r4.js'
import type { ResourceType } from './profile.ts'

const elements: Partial<Record<ResourceType, string>> = {
  Task: 'for',
  DocumentReference: 'subject',
  Communication: 'subject',
  ClaimResponse: 'patient',
  CoverageEligibilityResponse: 'patient',
  Coverage: 'beneficiary',
}

/** Whether resources of a type belong in one patient's chart. */
export function belongsToPatient(type: ResourceType): boolean {
  return type in elements
}

/** In whose chart a resource stands: the id that its literal reference names; a logical reference names none. */
export function patientOf(resource: FhirResource): string | undefined {
  const element = elements[resource.resourceType]
  const reference: unknown = element && Object(Reflect.get(resource, element)).reference
  return typeof reference === 'string' ? reference.match(/(?:^|\/)Patient\/([^/]+)$/)?.[1] : undefined
}
