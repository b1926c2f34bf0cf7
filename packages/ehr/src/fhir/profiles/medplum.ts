import type { VendorProfile } from './profile.ts'

/** Medplum takes all that is valid FHIR R4, and validates it strictly. */
export const medplum: VendorProfile = {
  name: 'medplum',
  title: 'Medplum',
  recognisedBy: /medplum/i,
  DocumentReference: {},
  Task: {},
  Communication: {},
}
