import { validateResource } from '@medplum/core'
import type { Resource } from '@medplum/fhirtypes'
import type { FhirResource } from 'fhir/r4.js'
import type { ChartStore } from './chart-store.ts'
import { type Outcome, refused } from './outcome.ts'
import { belongsToPatient, patientOf } from './patient-of.ts'
import type { ChartProfile, WriteSeen } from './profile.ts'

/** Why every chart refuses a resource: it is not valid FHIR R4, stands in no patient's chart, or refers to what does not exist. */
export function objectionTo(
  resource: FhirResource,
  { store, profile, base }: { store: ChartStore; profile: ChartProfile; base: string },
  isUpdate: boolean,
): Outcome | undefined {
  const fault = invalidity(resource)
  if (fault !== undefined) return fault
  // Nothing without a literal reference stands in anybody's chart.
  if (belongsToPatient(resource.resourceType) && patientOf(resource) === undefined)
    return refused(422, 'business-rule', 'the patient must be a reference to a Patient')
  const missing = references(resource)
    .map((reference) => (reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference))
    .find((reference) => isMissing(reference))
  if (missing !== undefined) return refused(422, 'business-rule', `${missing} does not exist`)
  const seen: WriteSeen = { isUpdate, read: (type, id) => store.read(type, id) }
  const objection = profile.types[resource.resourceType]?.objection?.(resource, seen)
  if (objection === undefined) return undefined
  if (typeof objection === 'string') return refused(422, 'business-rule', objection)
  return refused(objection.status, objection.code, objection.text)

  function isMissing(reference: string): boolean {
    const [type = '', id = ''] = reference.split('/')
    return reference.includes('/') && type in profile.types && store.read(type, id) === undefined
  }
}

function invalidity(resource: FhirResource): Outcome | undefined {
  try {
    // The compiler cannot see that Medplum's types and ours describe the same FHIR R4.
    validateResource(resource as unknown as Resource)
    return undefined
  } catch (error) {
    if (error instanceof Error && 'outcome' in error) return { status: 400, body: Object(error.outcome) }
    throw error
  }
}

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'reference' in value && typeof value.reference === 'string' ? [value.reference] : []
  return [...own, ...Object.values(value).flatMap(references)]
}
