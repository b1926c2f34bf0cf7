import { demandsFrom, type VendorProfile } from './profile.ts'

const forum = 'https://github.com/athenahealth/apiserver-athenaFlex/issues'
const types = demandsFrom(`${forum}/367`, '2026-11-24')
const routing = demandsFrom(`${forum}/257`, '2026-11-24')
const validation = demandsFrom(`${forum}/401`, '2026-11-24')

/** athenaPractice and athenaFlow: chart documents, which the authenticator signs. */
export const athenaPractice: VendorProfile = {
  name: 'athenapractice',
  title: 'athenaPractice, athenaFlow',
  recognisedBy: /athena(practice|flow)/i,
  scopes: { DocumentReference: 'crs' },
  DocumentReference: {
    neverUpdated: routing(true),
    attachments: types(1),
    contentTypes: types(['text/rtf']),
    author: validation('demanded'),
    authenticator: routing('demanded'),
  },
  Task: {},
  Communication: {},
}
