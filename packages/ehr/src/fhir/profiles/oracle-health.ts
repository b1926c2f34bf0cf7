import { demandsFrom, type VendorProfile } from './profile.ts'

const api = 'https://docs.oracle.com/en/industries/health/millennium-platform-apis/mfrap'
const create = demandsFrom(`${api}/op-documentreference-post.html`, '2026-11-24')
/** The vendor's own definitions, which say of each element more than the page above. */
const defined = demandsFrom(
  'https://github.com/cerner/fhir.cerner.com (lib/resources/r4/document_reference.yaml)',
  '2026-11-24',
)
/** The vendor's removal of `preliminary` from creates. */
const withoutPreliminary = demandsFrom('https://github.com/cerner/fhir.cerner.com/pull/216', '2026-11-28')
/** The vendor's example of an update, without `identifier`: the page of updates says that it ignores what it does not list, and no list that names it was found. */
const update = demandsFrom(
  `https://github.com/cerner/fhir.cerner.com (lib/resources/example_json/r4_examples_document_reference.rb); ${api}/op-documentreference-id-put.html`,
  '2026-11-28',
)
const message = demandsFrom(
  'https://github.com/cerner/fhir.cerner.com (lib/resources/r4/communication.yaml)',
  '2026-11-24',
)

const updatable = ['application/xhtml+xml', 'text/html', 'application/pdf', 'text/rtf', 'application/xml']

/** Oracle Health (Cerner) Millennium, with system access. */
export const oracleHealth: VendorProfile = {
  name: 'oracle-health',
  title: 'Oracle Health Millennium',
  recognisedBy: /\b(cerner|oracle ?health)\b/i,
  scopes: { DocumentReference: 'crus', Communication: 'crs' },
  DocumentReference: {
    attachments: create(1),
    // text/plain is created, and never updated.
    contentTypes: defined([...updatable, 'text/plain']),
    updateContentTypes: defined(updatable),
    charset: defined('utf-8'),
    docStatus: withoutPreliminary(['final', 'amended']),
    period: defined(true),
    author: create('if-known'),
    updateElements: update(['status', 'docStatus', 'type', 'subject', 'author', 'authenticator', 'content', 'context']),
    unkept: create(['identifier', 'category', 'description', 'relatesTo']),
  },
  Task: {},
  Communication: {
    category: message({
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/communication-category', code: 'notification' }],
    }),
    sender: message('demanded'),
    recipient: message(['Practitioner', 'Group']),
    attachment: message('text/plain'),
    unkept: message(['identifier', 'partOf', 'sent']),
  },
}
