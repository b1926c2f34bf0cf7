import type { FhirResource, Reference } from 'fhir/r4.js'
import type { Objection, WriteSeen } from '../profile.ts'

/** The first demand that a resource does not meet. */
export function firstUnmet(
  demands: readonly (readonly [isMet: boolean, text: string])[],
  { status, code }: Omit<Objection, 'text'>,
): Objection | undefined {
  const unmet = demands.find(([isMet]) => !isMet)
  return unmet && { status, code, text: unmet[1] }
}

/** The type and id of a reference that the chart can follow. */
function partsOf(reference: Reference | undefined): { type: string; id: string } | undefined {
  const [type, id, ...rest] = reference?.reference?.split('/') ?? []
  return type !== undefined && id !== undefined && rest.length === 0 ? { type, id } : undefined
}

/** Whether a reference is to a practitioner whom the chart has. */
export function isPractitioner(reference: Reference | undefined, { read }: WriteSeen): boolean {
  const parts = partsOf(reference)
  return parts?.type === 'Practitioner' && read('Practitioner', parts.id) !== undefined
}

/** Whether a reference is to an encounter of this patient. */
export function isEncounterOf(
  patient: Reference | undefined,
  reference: Reference | undefined,
  { read }: WriteSeen,
): boolean {
  const parts = partsOf(reference)
  if (parts?.type !== 'Encounter') return false
  const held: FhirResource | undefined = read('Encounter', parts.id)
  return held?.resourceType === 'Encounter' && held.subject?.reference === patient?.reference
}
