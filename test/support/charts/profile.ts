import type { FhirResource, OperationOutcomeIssue, Task } from 'fhir/r4.js'
import type { ProfileName } from '../../../packages/ehr/src/fhir/profiles/profile.ts'

export type ResourceType = FhirResource['resourceType']
export type ResourceOf<T extends ResourceType> = Extract<FhirResource, { resourceType: T }>
export type Interaction = 'read' | 'search-type' | 'create' | 'update' | 'patch' | 'delete'

/** Behaviour of a chart for one type, and its CapabilityStatement of it. */
export interface TypeRules {
  interactions: readonly Interaction[]
  searchParams: readonly string[]
  /** `no-version` ignores If-Match and honours If-Unmodified-Since, `versioned` honours it (412), `versioned-update` insists on it (428). */
  versioning: 'no-version' | 'versioned' | 'versioned-update'
  conditionalCreate?: boolean
  conditionalUpdate?: boolean
  /** Whether PUT on an id that does not exist creates it. */
  updateCreate?: boolean
  /** Elements that the chart takes and throws away without a word. */
  drops?: readonly string[]
  /** Elements that the chart takes and never shows: the test sees what was sent, the client does not. */
  hides?: readonly string[]
  /** Completes a new resource as the chart does by itself. `now` is an ISO date-time. */
  complete?: (resource: FhirResource, now: string) => FhirResource
  /** Applies an update as the chart does. */
  updated?: (resource: FhirResource, previous: FhirResource) => FhirResource
  /** Why the chart refuses a resource that is valid FHIR: 422 where it is words alone. */
  objection?: (resource: FhirResource, write: WriteSeen) => string | Objection | undefined
}

/** A write, as a chart judges it. */
export interface WriteSeen {
  isUpdate: boolean
  /** A resource of the chart. */
  read(type: ResourceType, id: string): FhirResource | undefined
}

/** A refusal in a vendor's own words. */
export interface Objection {
  status: number
  code: OperationOutcomeIssue['code']
  text: string
}

/** How one vendor's server behaves beyond FHIR R4. */
export interface ChartProfile {
  name: string
  /** Software in its CapabilityStatement, by which pawl recognises a vendor; absent: a name that tells none. */
  software?: string
  publisher?: string
  /** FHIR_PROFILE, where it tells none. */
  pawlProfile?: ProfileName
  /** A type that is not here does not exist on the server: 404. */
  types: Partial<Record<ResourceType, TypeRules>>
  /** Types that it takes for a purpose other than pawl's: nothing of pawl's may be there. */
  foreign?: readonly ResourceType[]
  /** Statuses that a Task may have; absent: all. */
  taskStatuses?: readonly Task['status'][]
  /** Whether a document stays as it was created, though the chart states updates. */
  keepsDocuments?: true
  /** Whether it refuses documents, or messages, without a practitioner as author. */
  demandsAuthor?: true
  /** Content types of documents; absent: all. */
  documentTypes?: readonly string[]
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
