import type { FhirResource } from 'fhir/r4.js'
import type { ChartProfile } from './profile.ts'

const read = ['read', 'search-type'] as const

/** Creates all three types and updates Tasks, ignores search parameters that it does not know, and fills in Tasks by itself. */
export const canvas: ChartProfile = {
  name: 'canvas',
  types: {
    Patient: {
      interactions: read,
      searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'],
      versioning: 'no-version',
    },
    Practitioner: { interactions: read, searchParams: ['_id', 'identifier'], versioning: 'no-version' },
    DocumentReference: {
      interactions: [...read, 'create'],
      searchParams: ['_id', 'patient', 'subject', 'status', 'type'],
      versioning: 'no-version',
    },
    Communication: {
      interactions: [...read, 'create'],
      searchParams: ['_id', 'recipient', 'sender'],
      versioning: 'no-version',
    },
    Task: {
      interactions: [...read, 'create', 'update'],
      searchParams: ['_id', 'patient', 'status', 'owner'],
      versioning: 'no-version',
      complete: filledIn,
    },
  },
  refusesInteractionWith: 405,
  unknownSearchParams: 'ignored',
  saysWhatWasNotFound: false,
  answersWritesWith: 'nothing',
  location: 'absolute',
  pageSize: 3,
  count: 'ignored',
  idOf: (ordinal) => `5eede137-ecfe-4124-b8b7-${String(ordinal).padStart(12, '0')}`,
}

/** It gives every Task its own intent. */
function filledIn(resource: FhirResource, now: string): FhirResource {
  if (resource.resourceType !== 'Task') return resource
  return {
    authoredOn: now,
    requester: { display: 'Chart robot' },
    ...resource,
    intent: 'unknown',
    note: [...(resource.note ?? []), { text: 'Made through the interface.', time: now }],
  }
}
