import type { FhirResource } from 'fhir/r4.js'
import { epic } from '../epic.ts'
import type { ChartProfile, Objection, TypeRules, WriteSeen } from '../profile.ts'
import { firstUnmet, isEncounterOf, isPractitioner } from './demands.ts'

const read = ['read', 'search-type'] as const
const { DocumentReference, Communication, Task } = epic.types
const none: TypeRules = { interactions: read, searchParams: ['_id'], versioning: 'no-version' }

/** LOINC codes of Epic's note types (specification 865, as integrators quote it) without those that it files by other workflows. */
const noteTypes = ['11488-4', '11504-8', '11506-3', '28570-0', '34109-9', '34111-5', '34117-2', '34746-8', '75492-9']
/** Codes of an organization's own note types. */
const ownTypes = 'urn:oid:1.2.840.114350.'

/**
 * Epic as its specifications for clinical notes (1046), scans (10050, 10051) and community referrals (10090) are quoted: a note is filed once, under
 * an encounter of the patient, with one attachment of plain text. A missing element is answered with 400 and code 59108.
 */
export const demandingEpic: ChartProfile = {
  ...epic,
  name: 'Epic',
  software: 'Epic',
  foreign: ['Task', 'Communication'],
  documentTypes: ['text/plain'],
  keepsDocuments: true,
  types: {
    ...epic.types,
    Encounter: { ...none, searchParams: ['_id', 'patient', 'status', 'date'] },
    DocumentReference: {
      ...(DocumentReference ?? none),
      versioning: 'no-version',
      searchParams: ['_id', 'patient', 'subject', 'category', 'type', 'date'],
      hides: ['identifier', 'relatesTo', 'description'],
      objection,
    },
    Communication: { ...(Communication ?? none), objection: () => refusal('only messages of community referrals') },
    Task: { ...(Task ?? none), objection: () => refusal('only tasks of community referrals') },
  },
}

const refusal = (text: string): Objection => ({ status: 400, code: 'invalid', text })

function objection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  if (seen.isUpdate) return { status: 400, code: 'not-supported', text: 'a note takes no update' }
  const { status, docStatus, type, subject, author = [], context, content } = resource
  const isNoteType = type?.coding?.some(({ system = '', code = '' }) =>
    system === 'http://loinc.org' ? noteTypes.includes(code) : system.startsWith(ownTypes),
  )
  const [first] = content
  return firstUnmet(
    [
      [status === 'current', 'status'],
      [docStatus === 'final' || docStatus === 'preliminary', 'docStatus'],
      [isNoteType === true, 'type'],
      [author.every((each) => isPractitioner(each, seen)), 'author'],
      [context?.encounter?.length === 1, '59108: A required element is missing: context/encounter'],
      [isEncounterOf(subject, context?.encounter?.[0], seen), 'context/encounter is not of the patient'],
      [content.length === 1, 'only the first attachment is saved'],
      [first?.attachment.contentType === 'text/plain' && first.attachment.data !== undefined, 'content: text/plain'],
    ],
    { status: 400, code: 'required' },
  )
}
