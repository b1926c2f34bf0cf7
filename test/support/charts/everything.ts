import type { FhirResource } from 'fhir/r4.js'
import type { ChartProfile, TypeRules } from './profile.ts'

const rules: TypeRules = {
  interactions: ['read', 'search-type', 'create', 'update', 'patch', 'delete'],
  searchParams: ['_id', 'identifier', 'patient'],
  versioning: 'versioned',
  conditionalCreate: true,
  conditionalUpdate: true,
  updateCreate: true,
  complete: filledIn,
}

/** A server that knows all of FHIR R4 that a chart can make use of. */
export const everything: ChartProfile = {
  name: 'everything',
  types: {
    Patient: {
      ...rules,
      interactions: ['read', 'search-type', 'create', 'update'],
      searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'],
    },
    Practitioner: { ...rules, searchParams: ['_id', 'identifier'] },
    Organization: { ...rules, searchParams: ['_id', 'identifier'] },
    DocumentReference: { ...rules, searchParams: [...rules.searchParams, 'subject', 'status', 'type'] },
    Communication: { ...rules, searchParams: [...rules.searchParams, 'subject', 'part-of'] },
    Task: { ...rules, searchParams: [...rules.searchParams, 'subject', 'status', 'owner'] },
    ClaimResponse: rules,
    Coverage: { ...rules, searchParams: [...rules.searchParams, 'beneficiary'] },
    CoverageEligibilityResponse: rules,
  },
  refusesInteractionWith: 405,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: false,
  answersWritesWith: 'resource',
  location: 'absolute',
  pageSize: 3,
  count: 'honoured',
  idOf: (ordinal) => String(ordinal),
}

function filledIn(resource: FhirResource): FhirResource {
  if (resource.resourceType === 'Task') return { priority: 'routine', ...resource }
  if (resource.resourceType === 'DocumentReference') return { language: 'en-US', ...resource }
  return resource
}
