import type {
  ClaimResponse,
  Communication,
  Coverage,
  CoverageEligibilityResponse,
  DocumentReference,
  Task,
} from 'fhir/r4.js'

/** Every type that pawl writes. */
export interface StoredByType {
  Task: Task
  ClaimResponse: ClaimResponse
  CoverageEligibilityResponse: CoverageEligibilityResponse
  Coverage: Coverage
  Communication: Communication
  DocumentReference: DocumentReference
}
export type StoredType = keyof StoredByType

/** The types that pawl writes, in display order. */
export const storedTypes = [
  'DocumentReference',
  'Task',
  'Communication',
  'ClaimResponse',
  'CoverageEligibilityResponse',
  'Coverage',
] as const satisfies readonly StoredType[]
