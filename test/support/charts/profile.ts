import type { FhirResource } from 'fhir/r4.js'

export type ResourceType = FhirResource['resourceType']
export type ResourceOf<T extends ResourceType> = Extract<FhirResource, { resourceType: T }>
export type Interaction = 'read' | 'search-type' | 'create' | 'update' | 'patch' | 'delete'

/** What a chart does with one type, and what its CapabilityStatement says of it. */
export interface TypeRules {
  interactions: readonly Interaction[]
  searchParams: readonly string[]
  /** `no-version` ignores If-Match, `versioned` honours it (412), `versioned-update` insists on it (428). */
  versioning: 'no-version' | 'versioned' | 'versioned-update'
  conditionalCreate?: boolean
  conditionalUpdate?: boolean
  /** Whether PUT on an id that does not exist creates it. */
  updateCreate?: boolean
  /** Elements that the chart takes and throws away without a word. */
  drops?: readonly string[]
  /** What the chart makes of a new resource by itself. `now` is an ISO date-time. */
  complete?: (resource: FhirResource, now: string) => FhirResource
  /** Why the chart refuses a resource that is valid FHIR. */
  objection?: (resource: FhirResource) => string | undefined
}

/** How one vendor's server behaves beyond FHIR R4. */
export interface ChartProfile {
  name: string
  /** A type that is not here does not exist on the server: 404. */
  types: Partial<Record<ResourceType, TypeRules>>
  /** Answers an interaction that a type does not have. */
  refusesInteractionWith: 403 | 404 | 405
  unknownSearchParams: 'refused' | 'ignored'
  /** Whether a search without a match holds an OperationOutcome entry. */
  saysWhatWasNotFound: boolean
  /** Whether writes are answered with the resource or without a body. */
  answersWritesWith: 'resource' | 'nothing'
  /** How `Location` names what was created; `both` takes turns. */
  location: 'absolute' | 'both'
  /** Entries on a page of a search. */
  pageSize: number
  /** A server may give less than `_count` asks for: all give at most a page. */
  count: 'honoured' | 'ignored' | 'refused'
  /** The id of the nth resource of a type. */
  idOf(ordinal: number): string
}
