import type { ClaimResponse, Communication, Coverage, CoverageEligibilityResponse, Task } from 'fhir/r4.js'
import type { NamedIdentifier } from './mapping/references.ts'

/** Every type that pawl writes. */
export interface StoredByType {
  Task: Task
  ClaimResponse: ClaimResponse
  CoverageEligibilityResponse: CoverageEligibilityResponse
  Coverage: Coverage
  Communication: Communication
}
export type StoredType = keyof StoredByType

/** One resource in the place where pawl finds it again; `resourceId` is the id of the service's resource, for errors. */
export interface Place<T extends StoredType> {
  type: T
  identifier: NamedIdentifier
  resourceId: string
}

/** What keeps the resources: a FHIR server, or memory. */
export interface FhirStore {
  /** The resource with this identifier, if there is one. */
  find<T extends StoredType>(place: Place<T>): Promise<StoredByType[T] | undefined>
  /** Creates the resource with this identifier where none was found, or replaces the one that was, unless somebody changed it since. */
  put<T extends StoredType>(
    place: Place<T>,
    resource: StoredByType[T],
    found: StoredByType[T] | undefined,
  ): Promise<{ id: string; version?: string }>
}
