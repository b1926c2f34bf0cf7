import type { Coding, FhirResource } from 'fhir/r4.js'
import { oracleHealth } from '../oracle-health.ts'
import type { ChartProfile, Objection, TypeRules, WriteSeen } from '../profile.ts'
import { firstUnmet, isPractitioner } from './demands.ts'

const { DocumentReference, Communication } = oracleHealth.types
const none: TypeRules = { interactions: [], searchParams: ['_id'], versioning: 'versioned' }

const textual = ['text/rtf', 'text/html', 'application/xml', 'application/xhtml+xml']
const updated = ['application/pdf', ...textual.map((type) => `${type};charset=utf-8`)]
const created = [...updated, 'text/plain;charset=utf-8']

/**
 * What an update may hold: the vendor's example (cerner/fhir.cerner.com, lib/resources/example_json/r4_examples_document_reference.rb) without
 * `identifier`. The page of updates (docs.oracle.com, mfrap/op-documentreference-id-put.html) says that it ignores all that it does not list; a
 * developer whose body had `meta` besides was answered 400 "Invalid request" (forums.oracle.com,
 * unable-to-update-documentreference-receiving-400-invalid-re-5521). Looked up 2026-11-28.
 */
const updatable: ReadonlySet<string> = new Set(
  'resourceType id status docStatus type subject author authenticator content context'.split(' '),
)

/** Millennium by the vendor's definitions of DocumentReference and Communication, with system access. Invalid content is answered with 400. */
export const demandingOracleHealth: ChartProfile = {
  ...oracleHealth,
  name: 'Oracle Health',
  publisher: 'Cerner',
  documentTypes: ['application/pdf', 'text/plain', ...textual],
  demandsAuthor: true,
  types: {
    ...oracleHealth.types,
    DocumentReference: {
      ...(DocumentReference ?? none),
      drops: [],
      hides: ['identifier', 'relatesTo', 'category', 'description'],
      // What an update cannot hold stays as it was.
      updated: (resource, previous) => ({
        ...Object.fromEntries(Object.entries(previous).filter(([name]) => !updatable.has(name))),
        ...resource,
      }),
      objection: documentObjection,
    },
    Communication: {
      ...(Communication ?? none),
      drops: [],
      hides: ['identifier', 'partOf', 'sent'],
      objection: messageObjection,
    },
  },
}

const invalid = { status: 400, code: 'invalid' } as const

function documentObjection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'DocumentReference') return undefined
  const { status, docStatus = '', type, author = [], authenticator, context, content } = resource
  const [first] = content
  const contentTypes = seen.isUpdate ? updated : created
  return firstUnmet(
    [
      [!seen.isUpdate || Object.keys(resource).every((name) => updatable.has(name)), 'Invalid request'],
      [status === 'current' || seen.isUpdate, 'status'],
      [docStatus === 'final' || docStatus === 'amended', 'docStatus'],
      [isOneKind(type?.coding), 'type'],
      [[...author, ...(authenticator ? [authenticator] : [])].every((each) => isPractitioner(each, seen)), 'author'],
      [context?.period?.end?.includes('T') === true, 'context.period.end'],
      [(context?.encounter?.length ?? 0) <= 1, 'context.encounter'],
      [content.length === 1 && first?.attachment.data !== undefined, 'content'],
      [contentTypes.includes(first?.attachment.contentType ?? ''), 'content.attachment.contentType'],
      [first?.attachment.creation?.includes('T') !== false, 'content.attachment.creation'],
    ],
    invalid,
  )
}

/** LOINC codes, or one code of the hospital's own, and never both. */
function isOneKind(codings: readonly Coding[] = []): boolean {
  const own = codings.filter(({ system }) => system !== 'http://loinc.org')
  return codings.length > 0 && (own.length === 0 || (own.length === 1 && codings.length === 1))
}

function messageObjection(resource: FhirResource, seen: WriteSeen): Objection | undefined {
  if (resource.resourceType !== 'Communication') return undefined
  const { status, category = [], recipient = [], sender, payload = [] } = resource
  const [first] = payload
  return firstUnmet(
    [
      [status === 'completed', 'status'],
      [category.length === 1, 'category'],
      [recipient.length > 0, 'recipient'],
      [recipient.every(({ reference = '' }) => /^(Practitioner|Group)\//.test(reference)), 'recipient'],
      [isPractitioner(sender, seen), 'sender'],
      [payload.length === 1 && first?.contentAttachment?.data !== undefined, 'payload'],
      [
        /^(text\/plain|application\/xhtml\+xml)(;charset=utf-8)?$/.test(first?.contentAttachment?.contentType ?? ''),
        '',
      ],
    ],
    invalid,
  )
}
