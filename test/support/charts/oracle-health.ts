import type { FhirResource } from 'fhir/r4.js'
import type { ChartProfile } from './profile.ts'

const read = ['read', 'search-type'] as const

const contentTypes = [
  'text/plain',
  'text/html',
  'application/pdf',
  'application/xhtml+xml',
  'image/jpeg',
  'image/png',
  'image/tiff',
]

/** Updates only against a version, takes few file types, finds no document by identifier, and throws away what it does not support. */
export const oracleHealth: ChartProfile = {
  name: 'oracle-health',
  types: {
    Patient: {
      interactions: read,
      searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'],
      versioning: 'versioned',
    },
    Practitioner: { interactions: read, searchParams: ['_id', 'identifier'], versioning: 'versioned' },
    DocumentReference: {
      interactions: [...read, 'create', 'update'],
      searchParams: ['_id', 'patient'],
      versioning: 'versioned-update',
      drops: ['docStatus', 'description'],
      objection: foreignFile,
    },
    Communication: {
      interactions: [...read, 'create', 'patch'],
      searchParams: ['_id', 'patient'],
      versioning: 'versioned',
      drops: ['partOf'],
      objection: foreignRecipient,
    },
  },
  refusesInteractionWith: 405,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: false,
  answersWritesWith: 'nothing',
  location: 'absolute',
  pageSize: 3,
  count: 'honoured',
  idOf: (ordinal) => String(4_000 + ordinal),
}

function foreignFile(resource: FhirResource): string | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  const isTaken = (type = '') => contentTypes.includes(type.split(';', 1)[0]?.trim() ?? '')
  return resource.content.every(({ attachment }) => isTaken(attachment.contentType))
    ? undefined
    : 'content.attachment.contentType is not supported'
}

function foreignRecipient(resource: FhirResource): string | undefined {
  if (resource.resourceType !== 'Communication') return undefined
  const isTaken = (reference = '') => /(^|\/)(Practitioner|Group)\/[^/]+$/.test(reference)
  return (resource.recipient ?? []).every(({ reference }) => isTaken(reference))
    ? undefined
    : 'recipient must refer to a Practitioner or a Group'
}
