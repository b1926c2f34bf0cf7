import { demandsFrom, type VendorProfile } from './profile.ts'

const documents = demandsFrom('https://docs.canvasmedical.com/api/documentreference/', '2026-11-24')
const tasks = demandsFrom('https://docs.canvasmedical.com/api/task/', '2026-11-24')
const messages = demandsFrom('https://docs.canvasmedical.com/api/communication/', '2026-11-24')
/** The guide for migrations into Canvas names the title that belongs to a type. */
const titles = demandsFrom('https://github.com/Medical-Software-Foundation/canvas (data-migrations)', '2026-11-24')

const schema = 'http://schemas.canvasmedical.com/fhir'

/** Canvas Medical: administrative documents and tasks. */
export const canvas: VendorProfile = {
  name: 'canvas',
  title: 'Canvas',
  recognisedBy: /canvas/i,
  scopes: { DocumentReference: 'crs', Task: 'crus' },
  DocumentReference: {
    neverUpdated: documents(true),
    attachments: documents(1),
    contentTypes: documents(['application/pdf']),
    author: documents('if-known'),
    type: titles({ coding: [{ system: 'http://loinc.org', code: '51851-4' }] }),
    category: documents({
      coding: [{ system: `${schema}/document-reference-category`, code: 'patientadministrativedocument' }],
    }),
    description: titles('Uncategorized Administrative Document'),
    extensions: documents([
      { url: `${schema}/document-reference-comment`, from: 'title' },
      { url: `${schema}/document-reference-clinical-date`, from: 'date' },
      { url: `${schema}/document-reference-review-mode`, valueCode: 'RN' },
      { url: `${schema}/document-reference-reviewer`, from: 'practitioner' },
      { url: `${schema}/document-reference-requires-signature`, valueBoolean: false },
    ]),
    unkept: documents(['identifier', 'relatesTo', 'docStatus', 'context']),
  },
  Task: {
    statuses: tasks({
      draft: 'requested',
      received: 'requested',
      accepted: 'requested',
      ready: 'requested',
      'in-progress': 'requested',
      'on-hold': 'requested',
      rejected: 'cancelled',
      failed: 'completed',
      'entered-in-error': 'cancelled',
    }),
    intent: tasks('unknown'),
    requester: tasks('demanded'),
    owner: tasks('if-known'),
    isTextual: tasks(true),
    appended: tasks(['note']),
    unkept: tasks([
      'identifier',
      'basedOn',
      'partOf',
      'statusReason',
      'businessStatus',
      'priority',
      'code',
      'focus',
      'lastModified',
      'reasonCode',
      'output',
    ]),
  },
  Communication: { unfit: messages('Canvas shows messages to the patient') },
}
