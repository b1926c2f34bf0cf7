import type { FhirResource } from 'fhir/r4'
import type { Clock } from '../../../clock.ts'
import type { Ehr } from '../ehr.ts'

export interface MemoryEhr extends Ehr {
  /** What it holds of one FHIR type, oldest first. */
  resources<T extends FhirResource['resourceType']>(type: T): Extract<FhirResource, { resourceType: T }>[]
  /** How often something was created or changed. */
  readonly writes: number
}

/** The chart in memory, with the same mapping as on a FHIR server. */
export function createMemoryEhr(_options: { identifierBase?: string; clock?: Clock } = {}): MemoryEhr {
  throw new Error('being written')
}
