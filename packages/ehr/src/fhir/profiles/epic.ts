import { clinicalNote } from '../mapping/document-reference.ts'
import { demandsFrom, type VendorProfile } from './profile.ts'

/** Specifications of the vendor, read as integrators quote them: their pages are not stored publicly. */
const notes = demandsFrom(
  'DocumentReference.Create (Clinical Notes) (R4), fhir.epic.com specification 1046',
  '2026-11-24',
)
const types = demandsFrom(
  'https://github.com/RIVO-Noord/zorgviewer-ig (StructureDefinition-DocumentReference-intro.md, quotes specification 865)',
  '2026-11-24',
)
const scans = demandsFrom('DocumentReference.Update (Document Information) (R4), specification 10051', '2026-11-24')
const tasks = demandsFrom('Task (Community Resource) (R4), as listed at open.epic.com', '2026-11-24')
const referrals = demandsFrom('Communication.Create (Community Resource) (R4), specification 10090', '2026-11-24')

/** Epic: clinical notes. */
export const epic: VendorProfile = {
  name: 'epic',
  title: 'Epic',
  recognisedBy: /^epic\b/i,
  scopes: { DocumentReference: 'crs' },
  DocumentReference: {
    // Epic updates only the metadata of scans.
    neverUpdated: scans(true),
    attachments: notes(1),
    contentTypes: notes(['text/plain']),
    // A preliminary note is not signed; a final one counts as signed by its author.
    docStatus: notes(['preliminary', 'final']),
    encounter: notes(true),
    author: notes('if-known'),
    // Epic's list has no administrative note; this is its "Miscellaneous Notes".
    type: types({ coding: [{ system: 'http://loinc.org', code: '34109-9', display: 'Note' }] }),
    category: notes(clinicalNote),
  },
  Task: { unfit: tasks('Epic takes Tasks of community referrals alone') },
  Communication: { unfit: referrals('Epic takes messages of community referrals alone') },
}
