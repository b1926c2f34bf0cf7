import type { FhirResource } from 'fhir/r4.js'
import type { ChartProfile, Objection, TypeRules, WriteSeen } from '../profile.ts'
import { firstUnmet, isPractitioner } from './demands.ts'

const read: TypeRules = {
  interactions: ['read', 'search-type'],
  searchParams: ['_id', 'patient', 'identifier'],
  versioning: 'no-version',
}

/** athenaPractice by its vendor's answers to developers: chart documents of RTF, created once, with author and authenticator; nothing else. */
export const demandingAthenaPractice: ChartProfile = {
  name: 'athenaPractice',
  software: 'R4 API Server, athenaPractice 1.25',
  documentTypes: ['text/rtf', 'text/xml'],
  demandsAuthor: true,
  types: {
    Patient: { ...read, searchParams: ['_id', 'identifier', 'birthdate', 'family', 'given'] },
    Practitioner: { ...read, searchParams: ['_id', 'identifier'] },
    DocumentReference: {
      ...read,
      interactions: ['read', 'search-type', 'create'],
      searchParams: ['_id', 'patient', 'type'],
      hides: ['identifier', 'relatesTo'],
      objection,
    },
  },
  refusesInteractionWith: 403,
  unknownSearchParams: 'refused',
  saysWhatWasNotFound: false,
  answersWritesWith: 'nothing',
  location: 'absolute',
  pageSize: 3,
  count: 'honoured',
  idOf: (ordinal) => `1${String(ordinal).padStart(15, '0')}`,
}

function objection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  const { author = [], authenticator, content } = resource
  const [first] = content
  return firstUnmet(
    [
      [author.length > 0 && author.every((each) => isPractitioner(each, seen)), 'Author details are missing'],
      [isPractitioner(authenticator, seen), 'authenticator'],
      [content.length === 1 && first?.attachment.data !== undefined, 'content'],
      [
        ['text/rtf', 'text/xml'].includes(first?.attachment.contentType ?? ''),
        'Invalid value for content type of attachment. Allowed values are text/rtf and text/xml.',
      ],
    ],
    { status: 400, code: 'invalid' },
  )
}
