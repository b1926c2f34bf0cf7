import type { VendorProfile } from './profile.ts'

/** A chart that takes all that is valid FHIR R4. */
export const r4: VendorProfile = {
  name: 'r4',
  title: 'any FHIR R4 server',
  DocumentReference: {},
  Task: {},
  Communication: {},
}
